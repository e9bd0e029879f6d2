// A WebSocket and MQTT client reduced to what a load generator needs, so that it costs little beside the server.
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { generate, type Packet } from 'mqtt-packet'

/** One MQTT packet in a masked WebSocket frame; the mask is zero, so masking changes nothing. */
export function clientFrame(packet: Packet): Buffer {
  const bytes = generate(packet, { protocolVersion: 4 })
  const header = bytes.length < 126 ? Buffer.alloc(6) : Buffer.alloc(8)
  header[0] = 0x82
  if (bytes.length < 126) header[1] = 0x80 | bytes.length
  else {
    header[1] = 0x80 | 126
    header.writeUInt16BE(bytes.length, 2)
  }
  return Buffer.concat([header, bytes])
}

/** Receives the MQTT bytes of a connection, cut anywhere: part of `buffer`, which is reused afterwards. */
export type OnMqttBytes = (buffer: Buffer, from: number, to: number) => void

// All sockets read into one buffer: each read is consumed before the next.
const shared = Buffer.alloc(256 * 1024)

/** Connects, signs in, subscribes to a filter if given, and resolves once that is granted. */
export function openClient(
  target: { port: number; path: string },
  clientId: string,
  filter: string | undefined,
  onBytes: OnMqttBytes,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let phase: 'upgrading' | 'connecting' | 'subscribing' | 'open' = 'upgrading'
    let opening = Buffer.alloc(0)
    const walk = createFrameWalk((buffer, from, to) => {
      if (phase === 'open') return onBytes(buffer, from, to)
      opening = Buffer.concat([opening, buffer.subarray(from, to)])
      if (phase === 'connecting' && opening.length >= 4) {
        if (opening[0] !== 0x20 || opening[3] !== 0)
          return reject(new Error(`refused: ${opening.toString('hex')}`))
        opening = opening.subarray(4)
        if (!filter) return open()
        phase = 'subscribing'
        socket.write(
          clientFrame({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: filter, qos: 0 }] }),
        )
      }
      if (phase === 'subscribing' && opening.length >= 5) {
        if (opening[0] !== 0x90 || opening[4] !== 0)
          return reject(new Error(`not granted: ${opening.toString('hex')}`))
        open()
      }
    })
    function open(): void {
      phase = 'open'
      resolve(socket)
    }
    let head = ''
    const socket = connect({
      host: '127.0.0.1',
      port: target.port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback(length) {
          let from = 0
          if (phase === 'upgrading') {
            head += shared.toString('latin1', 0, length)
            const end = head.indexOf('\r\n\r\n')
            if (end < 0) return true
            if (!head.startsWith('HTTP/1.1 101')) reject(new Error(head.slice(0, 60)))
            from = length - (head.length - end - 4)
            phase = 'connecting'
            socket.write(
              clientFrame({
                cmd: 'connect',
                clientId,
                clean: true,
                keepalive: 0,
                protocolVersion: 4,
                protocolId: 'MQTT',
              }),
            )
          }
          walk(shared, from, length)
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('connection closed')))
    const lines = [
      `GET ${target.path} HTTP/1.1`,
      `Host: 127.0.0.1:${target.port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: mqtt',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
}

/** Strips WebSocket frame headers from a stream cut anywhere; hands out the payload of binary frames. */
function createFrameWalk(onBytes: OnMqttBytes): (buffer: Buffer, from: number, to: number) => void {
  const header = Buffer.alloc(10)
  let have = 0
  let left = 0
  let control = false
  return (buffer, from, to) => {
    let at = from
    while (at < to) {
      if (left > 0) {
        const end = Math.min(to, at + left)
        if (!control) onBytes(buffer, at, end)
        left -= end - at
        at = end
        continue
      }
      header[have++] = buffer[at++] as number
      const short = (header[1] as number) & 127
      if (have < 2 || have < (short === 127 ? 10 : short === 126 ? 4 : 2)) continue
      left =
        short === 127 ? Number(header.readBigUInt64BE(2)) : short === 126 ? header.readUInt16BE(2) : short
      control = ((header[0] as number) & 8) !== 0
      have = 0
    }
  }
}
