// Entry of the thread that makes recordings. Threads do not inherit the TypeScript loader, so it is set up here.
import { parentPort, workerData } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

register()
const { buildRecording } = await import('./build.ts')
parentPort.postMessage(await buildRecording(workerData))
