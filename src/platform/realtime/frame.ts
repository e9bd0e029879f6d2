/** One event on its way out, encoded at most once per form however many receive it. */
export interface Frame {
  /** The event's id; repeats of one event share it. */
  readonly id: string
  /** Place in the outbox, a decimal integer that only grows; absent on events that are never stored. */
  readonly position: string | undefined
  /** The event's wire name, such as `message.created`. */
  readonly event: string
  readonly json: string
  readonly encoded: EncodedForms
}

interface EncodedForms {
  payload: Buffer | undefined
  sse: Buffer | undefined
  topic: string | undefined
  mqtt: Buffer | undefined
  otherTopics: Map<string, Buffer> | undefined
}

const PUBLISH_QOS_0 = 0x30
const WEBSOCKET_BINARY_FIN = 0x82

/** Builds a frame around an event's JSON text. Nothing is encoded until a receiver needs it. */
export function createFrame(event: {
  id: string
  position?: string | undefined
  event: string
  json: string
}): Frame {
  return {
    id: event.id,
    position: event.position,
    event: event.event,
    json: event.json,
    encoded: {
      payload: undefined,
      sse: undefined,
      topic: undefined,
      mqtt: undefined,
      otherTopics: undefined,
    },
  }
}

/** The JSON as UTF-8. */
export function payloadBytes(frame: Frame): Buffer {
  return (frame.encoded.payload ??= Buffer.from(frame.json))
}

/** A whole WebSocket frame holding an MQTT QoS 0 PUBLISH of the event on a topic. */
export function mqttBytes(frame: Frame, topic: string): Buffer {
  const forms = frame.encoded
  if (forms.topic === topic && forms.mqtt) return forms.mqtt
  if (forms.mqtt === undefined) {
    forms.topic = topic
    return (forms.mqtt = encodeMqtt(frame, topic))
  }
  forms.otherTopics ??= new Map()
  let bytes = forms.otherTopics.get(topic)
  if (!bytes) forms.otherTopics.set(topic, (bytes = encodeMqtt(frame, topic)))
  return bytes
}

/** What precedes the payload when the event goes out on a topic that only one receiver has. */
export function mqttHeader(frame: Frame, topic: string): Buffer {
  const payloadLength = payloadBytes(frame).length
  const topicLength = Buffer.byteLength(topic)
  const remaining = 2 + topicLength + payloadLength
  const packetLength = 1 + varintLength(remaining) + remaining
  const header = Buffer.allocUnsafe(webSocketHeaderLength(packetLength) + packetLength - payloadLength)
  let at = writeWebSocketHeader(header, packetLength)
  header[at++] = PUBLISH_QOS_0
  at = writeVarint(header, at, remaining)
  at = header.writeUInt16BE(topicLength, at)
  header.write(topic, at)
  return header
}

/** A `text/event-stream` record. The `id` is the position, so `Last-Event-ID` names a place in the outbox. */
export function sseBytes(frame: Frame): Buffer {
  return (frame.encoded.sse ??= sseRecord(frame.event, frame.json, frame.position))
}

/** Encodes one server-sent event. Line breaks in the data become further data lines, as the format asks. */
export function sseRecord(event: string, data: string, id?: string): Buffer {
  const lines = data.replace(/\r\n|\r|\n/g, '\ndata: ')
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${lines}\n\n`)
}

/** Wraps bytes into one unmasked binary WebSocket frame, as a server sends it. */
export function webSocketFrame(payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(webSocketHeaderLength(payload.length) + payload.length)
  frame.set(payload, writeWebSocketHeader(frame, payload.length))
  return frame
}

function encodeMqtt(frame: Frame, topic: string): Buffer {
  return Buffer.concat([mqttHeader(frame, topic), payloadBytes(frame)])
}

function webSocketHeaderLength(payloadLength: number): number {
  return payloadLength < 126 ? 2 : payloadLength < 65536 ? 4 : 10
}

function writeWebSocketHeader(target: Buffer, payloadLength: number): number {
  target[0] = WEBSOCKET_BINARY_FIN
  if (payloadLength < 126) {
    target[1] = payloadLength
    return 2
  }
  if (payloadLength < 65536) {
    target[1] = 126
    return target.writeUInt16BE(payloadLength, 2)
  }
  target[1] = 127
  return target.writeBigUInt64BE(BigInt(payloadLength), 2)
}

function varintLength(value: number): number {
  return value < 128 ? 1 : value < 16384 ? 2 : value < 2097152 ? 3 : 4
}

function writeVarint(target: Buffer, at: number, value: number): number {
  let rest = value
  while (rest > 127) {
    target[at++] = (rest & 127) | 128
    rest >>= 7
  }
  target[at++] = rest
  return at
}
