// A thread of its own, because some patterns need for ever on some texts: whoever waits for it may end it.
import { parentPort } from 'node:worker_threads'

/** @type {Map<number, RegExp[]>} */
const lists = new Map()

parentPort?.on('message', ({ id, patterns, texts, forgotten }) => {
  for (const old of forgotten) lists.delete(old)
  if (patterns) lists.set(id, patterns)
  parentPort?.postMessage(lists.get(id)?.findIndex((pattern) => texts.some((text) => pattern.test(text))))
})
parentPort?.postMessage('ready')
