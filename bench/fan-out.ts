// How many deliveries a second one topic with many subscribers can take while p99 stays under a bound,
// for this gateway, mosquitto and nats-server. Prints a Markdown table.
//   npx tsx bench/fan-out.ts [--quick] [--verbose] [--only=part of a server's name]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, startGateway, startMosquitto, startNats, type Server } from './fan-out/peers.ts'
import { PAYLOAD_BYTES, STAMP_AT, stampedPayload, type Plan, type Report } from './fan-out/protocol.ts'
import { clientFrame, openClient } from './fan-out/raw-client.ts'

const quick = process.argv.includes('--quick')
const verbose = process.argv.includes('--verbose')
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length) ?? ''
const SUBSCRIBERS = quick ? [200, 1_000] : [200, 1_000, 3_000]
const WINDOW_MS = quick ? 500 : 700
const FIRST_RATE = 50_000
const TIME_LIMIT_MS = quick ? 90_000 : 160_000
const ATTEMPTS = 2
const BISECTIONS = 1
const MAX_P99_MS = 150
const TICK_MICROS = 10_000
const TOPIC = 'bench/network/chat/channel-0123456789'

interface Contender {
  name: string
  start: () => Promise<Server | undefined>
  publishTo: string
  subscribers: number[]
  personal: boolean
}

interface Result {
  delivered: number
  /** Processor time of the server, in microseconds per delivery; undefined where it cannot be read. */
  cpuMicros: number | undefined
  p50: number
  p99: number
}

const contenders: Contender[] = [
  { name: 'this gateway', start: startGateway, publishTo: TOPIC, subscribers: SUBSCRIBERS, personal: false },
  {
    name: 'this gateway, a topic of its own for each',
    start: startGateway,
    publishTo: 'bench/group',
    subscribers: SUBSCRIBERS.slice(-1),
    personal: true,
  },
  { name: 'nats-server', start: startNats, publishTo: TOPIC, subscribers: SUBSCRIBERS, personal: false },
  { name: 'mosquitto', start: startMosquitto, publishTo: TOPIC, subscribers: SUBSCRIBERS, personal: false },
]

function planFor(contender: Contender, target: Server['target'], subscribers: number): Plan {
  const topicBytes = contender.personal ? 'bench/own/r00000'.length : TOPIC.length
  const remaining = 2 + topicBytes + PAYLOAD_BYTES
  const stampOffset = 1 + 2 + 2 + topicBytes + STAMP_AT
  return {
    target,
    subscribers,
    topic: TOPIC,
    personal: contender.personal,
    packetBytes: 1 + 2 + remaining,
    stampOffset,
  }
}

/** Publishes at a steady rate for one window. Returns how many and when it began, in microseconds. */
async function publishAt(
  socket: Socket,
  topic: string,
  perSecond: number,
): Promise<{ sent: number; began: number }> {
  const total = Math.max(1, Math.round((perSecond * WINDOW_MS) / 1000))
  const began = performance.now()
  const beganMicros = Number(process.hrtime.bigint() / 1000n)
  let sent = 0
  while (sent < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - began) * perSecond) / 1000))
    const frames: Buffer[] = []
    for (; sent < due; sent++) {
      frames.push(
        clientFrame({ cmd: 'publish', topic, payload: stampedPayload(), qos: 0, dup: false, retain: false }),
      )
    }
    if (frames.length > 0) socket.write(Buffer.concat(frames))
    await sleep(1)
  }
  return { sent, began: beganMicros }
}

async function measure(contender: Contender, server: Server, subscribers: number): Promise<Result | string> {
  const receivers = fork(new URL('fan-out/receivers-process.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
  })
  const replies: { ready?: true; failed?: string; lost?: string; report?: Report }[] = []
  receivers.on('message', (reply: (typeof replies)[number]) => replies.push(reply))
  const reply = async () => {
    while (replies.length === 0) await once(receivers, 'message')
    return replies.shift()
  }
  const ask = async () => {
    receivers.send({ report: true })
    for (;;) {
      const answer = await reply()
      if (answer?.report) return answer.report
    }
  }
  let publisher: Socket | undefined

  // A step that fails is tried again: on a shared machine one bad moment says little.
  async function tryRate(rate: number): Promise<Result | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const result = await tryRateOnce(rate)
      if (result) return result
    }
    return undefined
  }

  async function tryRateOnce(deliveriesPerSecond: number): Promise<Result | undefined> {
    receivers.send({ reset: true })
    const cpuBefore = cpuTicks(server.pid)
    const { sent, began } = await publishAt(
      publisher as Socket,
      contender.publishTo,
      deliveriesPerSecond / subscribers,
    )
    const expected = sent * subscribers
    let report = await ask()
    // The whole backlog is waited for, so that a failed step leaves nothing behind for the next.
    for (let received = -1; report.received < expected && report.received > received;) {
      received = report.received
      await sleep(quick ? 100 : 150)
      report = await ask()
    }
    const seconds = (report.lastReceived - began) / 1e6
    const ticks = cpuTicks(server.pid) - cpuBefore
    const cpuMicros = Number.isNaN(ticks) ? undefined : (ticks * TICK_MICROS) / report.received
    if (verbose) {
      const { p50, p99 } = report
      const step = { rate: Math.round(deliveriesPerSecond), p50, p99, cpuMicros, seconds }
      console.error(`${contender.name}, ${subscribers}: ${JSON.stringify(step)}`)
    }
    if (report.received < expected || report.p99 >= MAX_P99_MS) return undefined
    return { delivered: report.received / seconds, cpuMicros, p50: report.p50, p99: report.p99 }
  }

  try {
    receivers.send({ plan: planFor(contender, server.target, subscribers) })
    const ready = await reply()
    if (!ready?.ready) return ready?.failed ?? 'no answer'
    publisher = await openClient(server.target, 'publisher', undefined, () => undefined)
    await tryRateOnce(FIRST_RATE)
    let best: Result | undefined
    let low = FIRST_RATE / 2
    // One step too much may be chance; the climb ends where two in a row are.
    for (let rate = FIRST_RATE, failures = 0; failures < 2; rate *= 2) {
      const result = await tryRate(rate)
      failures = result ? 0 : failures + 1
      if (result) low = rate
      best = better(best, result)
    }
    for (let i = 0, high = low * 2; i < BISECTIONS; i++) {
      const middle = Math.sqrt(low * high)
      const result = await tryRate(middle)
      if (result) low = middle
      else high = middle
      best = better(best, result)
    }
    return best ?? `below ${FIRST_RATE}/s`
  } finally {
    publisher?.removeAllListeners('close').destroy()
    await end(receivers)
  }
}

function better(a: Result | undefined, b: Result | undefined): Result | undefined {
  return !a || (b && b.delivered > a.delivered) ? b : a
}

console.log(
  `${PAYLOAD_BYTES}-byte payloads, p99 under ${MAX_P99_MS} ms, ${availableParallelism()} cores, Node ${process.version}\n`,
)
console.log(
  '| server | subscribers | deliveries/s | p50 ms | p99 ms | CPU µs each |\n|---|---:|---:|---:|---:|---:|',
)
// By size first, so that what else the machine does meanwhile meets all servers alike.
for (const subscribers of SUBSCRIBERS) {
  for (const contender of contenders) {
    const wanted = contender.name.includes(only) && contender.subscribers.includes(subscribers)
    if (wanted) await runOne(contender, subscribers)
  }
}

async function runOne(contender: Contender, subscribers: number): Promise<void> {
  const row = (...cells: string[]) =>
    console.log(`| ${[contender.name, subscribers, ...cells].join(' | ')} |`)
  if (performance.now() > TIME_LIMIT_MS) return row('not run: time is up', '', '', '')
  const server = await contender.start()
  if (!server) return row('not installed, skipped', '', '', '')
  const result = await measure(contender, server, subscribers).finally(server.stop)
  if (typeof result === 'string') return row(result, '', '', '')
  const { delivered, p50, p99, cpuMicros } = result
  row(Math.round(delivered).toLocaleString('en'), p50.toFixed(1), p99.toFixed(1), cpuMicros?.toFixed(2) ?? '')
}

/** Processor time a process has used, in clock ticks; not a number where the system does not tell. */
function cpuTicks(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return NaN
  }
}
