// The measured server: hub and gateway behind a plain HTTP server, in a process of its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '../../src/platform/log.ts'
import { createFrame } from '../../src/platform/realtime/frame.ts'
import { createHub } from '../../src/platform/realtime/hub.ts'
import { createMqttGateway } from '../../src/platform/realtime/mqtt-gateway.ts'

const hub = createHub()
let published = 0
const gateway = createMqttGateway<{ name: string }>({
  hub,
  log: createLog('error', false),
  maxPacketsPerSecond: Infinity,
  maxBufferedBytes: 64 * 1024 * 1024,
  authenticate: ({ clientId }) => Promise.resolve({ ownerId: clientId, session: { name: clientId } }),
  authorize: () => Promise.resolve(true),
  onConnected({ name }, subscriber) {
    hub.setPersonalTopics(subscriber, { messages: `bench/own/${name}` })
    hub.joinGroup(subscriber, 'everyone')
  },
  onPublish(_session, topic, payload) {
    const id = String(++published)
    const frame = createFrame({ id, position: id, event: 'message.created', json: payload.toString() })
    if (topic === 'bench/group') hub.publishToGroup('everyone', 'messages', frame)
    else hub.publish(topic, frame)
  },
})

const server = createServer()
server.on('upgrade', gateway.handleUpgrade)
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit())
