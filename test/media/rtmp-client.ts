import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { decodeAmf0, encodeAmf0, type AmfValue } from '../../src/platform/media/flv/amf0.ts'
import { tagPayload } from '../../src/platform/media/flv/tag.ts'
import { createChunkReader, type IncomingMessage } from '../../src/platform/media/rtmp/chunk-reader.ts'
import {
  chunkStreams,
  encodeControl,
  encodeMessage,
  messageTypes,
} from '../../src/platform/media/rtmp/messages.ts'

export type RtmpClient = {
  socket: Socket
  /** Codes of all `onStatus` messages so far. */
  codes: string[]
  messages: IncomingMessage[]
  publish(name: string): Promise<void>
  play(name: string): Promise<void>
  send(type: number, timestamp: number, payload: Buffer): void
  command(...values: AmfValue[]): void
  /** Resolves with the description once a status of that code has arrived. */
  status(code: string): Promise<string>
  closed(): Promise<void>
  /** Goes away once all that was sent is out. */
  end(): void
  /** Goes away at once. */
  close(): void
}

/** Connects to a server and an application, far enough that a stream can be published or played. */
export async function connectRtmp(port: number, app = 'live'): Promise<RtmpClient> {
  const socket = connect(port, '127.0.0.1')
  const statuses: { code: string; description: string }[] = []
  const messages: IncomingMessage[] = []
  const waiting = new Set<() => void>()
  const reader = createChunkReader(16 * 1024 * 1024, onMessage)
  let shaking = 1 + 2 * 1536
  let ended = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    ended = true
    for (const check of waiting) check()
  })
  socket.on('data', (data: Buffer) => {
    const skip = Math.min(shaking, data.length)
    shaking -= skip
    if (data.length > skip) reader.push(data.subarray(skip))
  })

  function onMessage(message: IncomingMessage): void {
    messages.push(message)
    if (message.type === messageTypes.command) {
      const values = decodeAmf0(tagPayload(message.frame))
      if (values[0] === 'onStatus') statuses.push(values[3] as { code: string; description: string })
    }
    for (const check of waiting) check()
  }

  function until<T>(what: string, find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      function check(): void {
        const found = find()
        if (found === undefined && !ended) return
        waiting.delete(check)
        clearTimeout(timer)
        if (found !== undefined) resolve(found)
        else reject(new Error(`closed before ${what}; had ${JSON.stringify(statuses)}`))
      }
      const timer = setTimeout(() => reject(new Error(`no ${what}; had ${JSON.stringify(statuses)}`)), 8_000)
      waiting.add(check)
      check()
    })
  }

  function send(type: number, timestamp: number, payload: Buffer, messageStream = 1): void {
    const chunkStream =
      type === 8 ? chunkStreams.audio : type === 9 ? chunkStreams.video : chunkStreams.command
    socket.write(encodeMessage({ chunkStream, type, timestamp, messageStream, payload }))
  }

  function command(...values: AmfValue[]): void {
    send(messageTypes.command, 0, encodeAmf0(...values), values[0] === 'connect' ? 0 : 1)
  }

  function answered(): Promise<unknown> {
    const before = messages.length
    return until('an answer', () =>
      messages.slice(before).find((message) => message.type === messageTypes.command),
    )
  }

  await once(socket, 'connect')
  socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), randomBytes(1528), randomBytes(1536)]))
  socket.write(encodeControl(messageTypes.setChunkSize, 60_000))
  const connected = answered()
  command('connect', 1, { app, tcUrl: `rtmp://127.0.0.1/${app}` })
  await connected
  const created = answered()
  command('createStream', 2, null)
  await created

  const client: RtmpClient = {
    socket,
    codes: [],
    messages,
    async publish(name) {
      command('publish', 3, null, name, 'live')
      await client.status('NetStream.Publish.Start')
    },
    async play(name) {
      command('play', 3, null, name)
      await client.status('NetStream.Play.Start')
    },
    send,
    command,
    status: (code) => until(code, () => statuses.find((status) => status.code === code)?.description),
    closed: () => new Promise((resolve) => (ended ? resolve() : socket.once('close', () => resolve()))),
    end: () => socket.destroySoon(),
    close: () => socket.destroy(),
  }
  Object.defineProperty(client, 'codes', { get: () => statuses.map((status) => status.code) })
  return client
}
