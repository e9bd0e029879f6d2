import { parentPort } from 'node:worker_threads'
import { readMedia } from './read-media.ts'

// One path in, one answer out; the sender waits for each answer before it sends the next path.
parentPort?.on('message', (path: string) => {
  readMedia(path).then(
    (info) => parentPort?.postMessage(info),
    () => parentPort?.postMessage(null),
  )
})
parentPort?.postMessage('ready')
