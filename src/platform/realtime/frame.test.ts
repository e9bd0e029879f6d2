import { parser, type IPublishPacket } from 'mqtt-packet'
import { describe, expect, it } from 'vitest'
import {
  createFrame,
  mqttBytes,
  mqttHeader,
  payloadBytes,
  sseBytes,
  sseRecord,
  webSocketFrame,
} from './frame.ts'
import { comparePositions, laterPosition, parsePosition } from './positions.ts'

function unwrap(bytes: Buffer): Buffer {
  expect(bytes[0]).toBe(0x82)
  const short = bytes[1] as number
  const [header, length] =
    short < 126
      ? [2, short]
      : short === 126
        ? [4, bytes.readUInt16BE(2)]
        : [10, Number(bytes.readBigUInt64BE(2))]
  expect(bytes.length).toBe(header + length)
  return bytes.subarray(header)
}

function decode(bytes: Buffer): IPublishPacket {
  const packets: IPublishPacket[] = []
  const reader = parser({ protocolVersion: 4 })
  reader.on('packet', (packet) => packets.push(packet as IPublishPacket))
  expect(reader.parse(unwrap(bytes))).toBe(0)
  expect(packets.length).toBe(1)
  return packets[0] as IPublishPacket
}

const frameOf = (json: string) => createFrame({ id: 'e1', position: '42', event: 'message.created', json })

describe('an event as bytes', () => {
  // Around every change of header length: WebSocket at 126 and 65,536, MQTT at 128, 16,384 and 2,097,152.
  it.each([
    0, 1, 100, 110, 111, 112, 113, 114, 115, 116, 117, 118, 16_370, 16_371, 16_372, 65_510, 65_519, 65_520,
    65_521, 65_530, 2_097_140, 2_097_152,
  ])('is a whole WebSocket frame with a QoS 0 publish of %i bytes', (size) => {
    const json = 'ü'.repeat(size >> 1) + 'x'.repeat(size & 1)
    const frame = frameOf(json)
    const packet = decode(mqttBytes(frame, 'net/chat/ü'))
    expect(packet).toMatchObject({ cmd: 'publish', topic: 'net/chat/ü', qos: 0, retain: false, dup: false })
    expect(packet.payload.toString() === json).toBe(true)
    const personal = Buffer.concat([mqttHeader(frame, 'net/smartfeed/1/messages'), payloadBytes(frame)])
    expect(decode(personal).topic).toBe('net/smartfeed/1/messages')
  })

  it('is encoded once per topic, the payload once in all', () => {
    const frame = frameOf('{}')
    const [a, b] = [mqttBytes(frame, 'a'), mqttBytes(frame, 'b')]
    expect(mqttBytes(frame, 'a')).toBe(a)
    expect(mqttBytes(frame, 'b')).toBe(b)
    expect(decode(b).topic).toBe('b')
    expect(payloadBytes(frame)).toBe(payloadBytes(frame))
    expect(sseBytes(frame)).toBe(sseBytes(frame))
  })

  it('is a server-sent event with its position as id', () => {
    expect(sseBytes(frameOf('{"a":1}')).toString()).toBe('id: 42\nevent: message.created\ndata: {"a":1}\n\n')
    const live = createFrame({ id: 'e2', event: 'typing', json: '1' })
    expect(sseBytes(live).toString()).toBe('event: typing\ndata: 1\n\n')
    expect(sseRecord('x', 'a\r\nb\nc\rd').toString()).toBe('event: x\ndata: a\ndata: b\ndata: c\ndata: d\n\n')
  })

  it('wraps any bytes as a WebSocket frame', () => {
    for (const size of [0, 125, 126, 65_535, 65_536])
      expect(unwrap(webSocketFrame(Buffer.alloc(size, 1))).length).toBe(size)
  })
})

describe('positions', () => {
  it('compare as integers of any size', () => {
    expect(comparePositions('9', '10')).toBeLessThan(0)
    expect(comparePositions('9007199254740993', '9007199254740992')).toBeGreaterThan(0)
    expect(comparePositions('7', '7')).toBe(0)
    expect([laterPosition('9', '10'), laterPosition(undefined, '1'), laterPosition('2', undefined)]).toEqual([
      '10',
      '1',
      '2',
    ])
  })

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['12', '12'],
    ['0012', '12'],
    ['0', '0'],
    ['-1', undefined],
    ['1e3', undefined],
    ['12345678901234567890', undefined],
  ])('are read from Last-Event-ID %s', (header, expected) => {
    expect(parsePosition(header)).toBe(expected)
  })
})
