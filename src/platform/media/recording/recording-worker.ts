import { parentPort, workerData } from 'node:worker_threads'
import { buildRecording, type BuildRequest } from './build.ts'

// One request for each thread; an error ends the thread and reaches the sender as its `error` event.
parentPort?.postMessage(await buildRecording(workerData as BuildRequest))
