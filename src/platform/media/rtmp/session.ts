import type { Socket } from 'node:net'
import type { Log } from '../../log.ts'
import type { MediaRequest } from '../engine.ts'
import type { MediaLimits } from '../options.ts'
import { decodeAmf0, type AmfValue } from '../flv/amf0.ts'
import { createChunkReader, type IncomingMessage } from './chunk-reader.ts'
import { createHandshake } from './handshake.ts'
import { encodeControl, encodeUserControl, messageTypes, writeChunkBytes } from './messages.ts'
import { isProtocolError, protocolError } from '../protocol-error.ts'
import { encodeCommand, encodeConnected, encodeStatus, splitQuery } from './status.ts'
import { tagPayload } from '../flv/tag.ts'

const windowBytes = 2_500_000
const mediaStream = 1

/** The sink of an accepted publisher. `refuse` from a handler ends the session with an RTMP error. */
export type PublishTarget = {
  media(type: 8 | 9, timestamp: number, frame: Buffer): void
  metadata(values: AmfValue[]): void
  /** The connection is gone; `clean` when the encoder unpublished first. */
  closed(clean: boolean): void
}

/** What an accepted player is: told when to begin and when it left. */
export type PlayTarget = { begin(): void; closed(): void }

export type PublisherLink = {
  /** Sends the encoder away with an error status. */
  refuse(code: string, description: string): void
  /** Reads no more from the encoder until `resume`, which slows it down by TCP. */
  pause(): void
  resume(): void
}

export type PlayerLink = { socket: Socket; end(description: string): void }

export type SessionHandlers = {
  publish(request: MediaRequest, link: PublisherLink): Promise<PublishTarget | { refuse: string }>
  play(request: MediaRequest, link: PlayerLink): Promise<PlayTarget | { refuse: string }>
}

/** Speaks RTMP with one client until its socket closes. */
export function runSession(socket: Socket, handlers: SessionHandlers, limits: MediaLimits, log: Log): void {
  const remoteAddress = socket.remoteAddress ?? ''
  const reader = createChunkReader(limits.maxCommandBytes, onMessage)
  const handshake = createHandshake((bytes) => socket.write(bytes))
  let shaken = false
  let app = ''
  let query: Record<string, string> = {}
  let target: PublishTarget | null = null
  let player: PlayTarget | null = null
  let busy = false
  let clean = false
  let closing = false
  let received = 0
  let acknowledged = 0
  let peerWindow = windowBytes
  const deadline = setTimeout(() => socket.destroy(), limits.handshakeMs)

  socket.setNoDelay(true)
  socket.setKeepAlive(true, 30_000)
  socket.on('data', (data: Buffer) => guard(() => onData(data)))
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    clearTimeout(deadline)
    target?.closed(clean)
    player?.closed()
    target = null
    player = null
  })

  function guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (isProtocolError(error))
        log.info({ remoteAddress, reason: error.message }, 'an RTMP client broke the protocol')
      else log.error({ err: error, remoteAddress }, 'an RTMP session failed')
      socket.destroy()
    }
  }

  function onData(data: Buffer): void {
    received += data.length
    // The limit of a client that ignores our acknowledgements is its own; ours tell it to go on.
    if (received - acknowledged >= peerWindow) {
      acknowledged = received
      socket.write(encodeControl(messageTypes.acknowledgement, received % 2 ** 32))
    }
    if (shaken) return reader.push(data)
    const rest = handshake(data)
    if (!rest) return
    shaken = true
    if (rest.length > 0) reader.push(rest)
  }

  function onMessage(message: IncomingMessage): void {
    if (closing) return
    const payload = tagPayload(message.frame)
    switch (message.type) {
      case messageTypes.audio:
      case messageTypes.video:
        return target?.media(message.type, message.timestamp, message.frame)
      case messageTypes.data:
        return target?.metadata(decodeAmf0(payload))
      case messageTypes.dataAmf3:
        return target?.metadata(decodeAmf0(payload.subarray(1)))
      case messageTypes.command:
        return onCommand(decodeAmf0(payload), message.messageStream)
      case messageTypes.commandAmf3:
        return onCommand(decodeAmf0(payload.subarray(1)), message.messageStream)
      case messageTypes.windowAcknowledgement:
        if (payload.length >= 4) peerWindow = Math.max(payload.readUInt32BE(), 64 * 1024)
        return
      case messageTypes.userControl:
        if (payload.length >= 6 && payload.readUInt16BE() === 6) {
          socket.write(encodeUserControl(7, payload.readUInt32BE(2)))
        }
        return
      case messageTypes.aggregate:
        throw protocolError('aggregate messages are not supported')
      default:
        // Acknowledgements, shared objects and bandwidth hints: nothing depends on them.
        return
    }
  }

  function onCommand(values: AmfValue[], messageStream: number): void {
    const [name, transaction, argument, ...rest] = values
    const id = typeof transaction === 'number' ? transaction : 0
    switch (typeof name === 'string' ? name : '') {
      case 'connect':
        return onConnect(id, argument)
      case 'createStream':
        return void socket.write(encodeCommand(0, '_result', id, null, mediaStream))
      case 'releaseStream':
      case 'FCPublish':
      case 'FCSubscribe':
      case '_checkbw':
      case 'getStreamLength':
        return void socket.write(encodeCommand(0, '_result', id, null, undefined))
      case 'publish':
        return ask(rest[0], (request) => begin(request))
      case 'play':
        return ask(rest[0], (request) => beginPlay(request))
      case 'FCUnpublish':
      case 'deleteStream':
      case 'closeStream':
        return onLeave(messageStream)
      default:
        if (id > 0) {
          const information = {
            level: 'error',
            code: 'NetConnection.Call.Failed',
            description: 'Unknown command.',
          }
          socket.write(encodeCommand(messageStream, '_error', id, null, information))
        }
    }
  }

  function onConnect(transaction: number, argument: AmfValue): void {
    const fields =
      argument !== null && typeof argument === 'object' && !Array.isArray(argument) ? argument : {}
    const asked = splitQuery(typeof fields.app === 'string' ? fields.app : '')
    const address = splitQuery(typeof fields.tcUrl === 'string' ? fields.tcUrl : '')
    app = asked.name.replace(/^\/+|\/+$/g, '')
    query = { ...address.query, ...asked.query }
    socket.write(
      Buffer.concat([
        encodeControl(messageTypes.windowAcknowledgement, windowBytes),
        encodeControl(messageTypes.peerBandwidth, windowBytes, 2),
        encodeControl(messageTypes.setChunkSize, writeChunkBytes),
        encodeConnected(transaction),
      ]),
    )
  }

  /** Holds all further messages back until the request is decided. */
  function ask(streamName: AmfValue, decide: (request: MediaRequest) => Promise<void>): void {
    if (target || player || busy) throw protocolError('one stream for each connection')
    if (typeof streamName !== 'string') throw protocolError('a stream without a name')
    const { name, query: own } = splitQuery(streamName)
    busy = true
    socket.pause()
    reader.pause()
    decide({ app, streamName: name, query: { ...query, ...own }, remoteAddress })
      .catch((error: unknown) => {
        log.error({ err: error, remoteAddress }, 'an RTMP request failed')
        refuse('NetStream.Failed', 'The server could not handle the request.')
      })
      .finally(() => {
        busy = false
        clearTimeout(deadline)
        guard(() => reader.resume())
        socket.resume()
      })
  }

  async function begin(request: MediaRequest): Promise<void> {
    const accepted = await handlers.publish(request, {
      refuse,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    })
    if ('refuse' in accepted) return refuse('NetStream.Publish.BadName', accepted.refuse)
    if (socket.destroyed) return accepted.closed(false)
    target = accepted
    reader.limit(limits.maxMessageBytes)
    socket.write(encodeUserControl(0, mediaStream))
    socket.write(encodeStatus(mediaStream, 'status', 'NetStream.Publish.Start', 'Publishing.'))
  }

  async function beginPlay(request: MediaRequest): Promise<void> {
    const accepted = await handlers.play(request, { socket, end })
    if ('refuse' in accepted) return refuse('NetStream.Play.StreamNotFound', accepted.refuse)
    if (socket.destroyed) return accepted.closed()
    player = accepted
    socket.write(encodeUserControl(0, mediaStream))
    socket.write(encodeStatus(mediaStream, 'status', 'NetStream.Play.Reset', 'Playing.'))
    socket.write(encodeStatus(mediaStream, 'status', 'NetStream.Play.Start', 'Playing.'))
    player.begin()
  }

  /** One session carries one stream, so leaving it ends the session. */
  function onLeave(messageStream: number): void {
    clean = true
    if (target) {
      socket.write(encodeStatus(messageStream, 'status', 'NetStream.Unpublish.Success', 'Unpublished.'))
    }
    if (target || player) socket.end()
  }

  function refuse(code: string, description: string): void {
    if (!socket.writable) return
    socket.write(encodeStatus(mediaStream, 'error', code, description))
    close()
  }

  function end(description: string): void {
    if (!socket.writable) return
    socket.write(encodeUserControl(1, mediaStream))
    socket.write(encodeStatus(mediaStream, 'status', 'NetStream.Play.UnpublishNotify', description))
    close()
  }

  function close(): void {
    closing = true
    socket.end()
    // Gives the last words a moment to arrive; reading on lets a client that still sends see the end.
    setTimeout(() => socket.destroy(), 1_000).unref()
  }
}
