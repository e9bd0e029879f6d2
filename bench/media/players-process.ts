// Players that read and throw away, in a process of their own so that their cost is nobody's.
import { get } from 'node:http'
import { connectRtmp, type RtmpClient } from '../../test/media/rtmp-client.ts'

export interface PlayersOrder {
  kind: 'flv' | 'rtmp'
  port: number
  stream: string
  count: number
}

let bytes = 0
const rtmp: RtmpClient[] = []

process.on('message', (order: PlayersOrder | 'count') => {
  if (order === 'count') return void process.send?.({ bytes })
  void add(order).then(() => process.send?.({ ready: order.count }))
})
process.on('disconnect', () => process.exit(0))

async function add(order: PlayersOrder): Promise<void> {
  for (let player = 0; player < order.count; player++) {
    if (order.kind === 'flv') {
      get(`http://127.0.0.1:${order.port}/${order.stream}/live.flv`, (response) => {
        response.on('data', (data: Buffer) => (bytes += data.length))
        response.on('error', () => undefined)
      })
    } else {
      const client = await connectRtmp(order.port)
      await client.play(order.stream)
      client.socket.removeAllListeners('data')
      client.socket.on('data', (data: Buffer) => (bytes += data.length))
      rtmp.push(client)
    }
  }
}
