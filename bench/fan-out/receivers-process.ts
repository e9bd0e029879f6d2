// Holds the subscribers of one run. Every packet of a run has the same size, so bytes count packets.
import { openClient } from './raw-client.ts'
import { STAMP_DIGITS, type Plan, type Report } from './protocol.ts'

// One subscriber in so many has its packets' time stamps read; the others only count bytes.
const SAMPLE_EVERY = 10
const OPENING_AT_ONCE = 50

let plan: Plan
let bytes = 0
let lastReceived = 0
let latencies: number[] = []

function count(size: number): void {
  bytes += size
}

function sampler(): (buffer: Buffer, from: number, to: number) => void {
  let position = 0
  return (buffer, from, to) => {
    count(to - from)
    const nowMicros = Number(process.hrtime.bigint() / 1000n)
    let stampAt = from + plan.stampOffset - position
    if (stampAt < from) stampAt += plan.packetBytes
    for (; stampAt + STAMP_DIGITS <= to; stampAt += plan.packetBytes) {
      let stamp = 0
      for (let i = 0; i < STAMP_DIGITS; i++) stamp = stamp * 10 + (buffer[stampAt + i] as number) - 48
      latencies.push((nowMicros - stamp) / 1000)
    }
    position = (position + to - from) % plan.packetBytes
    lastReceived = nowMicros
  }
}

async function openAll(): Promise<void> {
  for (let i = 0; i < plan.subscribers; i += OPENING_AT_ONCE) {
    const batch = Array.from({ length: Math.min(OPENING_AT_ONCE, plan.subscribers - i) }, async (_, j) => {
      const name = `r${String(i + j).padStart(5, '0')}`
      const filter = plan.personal ? `bench/own/${name}` : plan.topic
      const receive =
        (i + j) % SAMPLE_EVERY === 0 ? sampler() : (_: Buffer, from: number, to: number) => count(to - from)
      const socket = await openClient(plan.target, name, filter, receive)
      socket.on('close', () => process.send?.({ lost: name }))
    })
    await Promise.all(batch)
  }
}

function report(): Report {
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { received: Math.round(bytes / plan.packetBytes), p50: at(0.5), p99: at(0.99), lastReceived }
}

process.on('message', (message: { plan?: Plan; reset?: true; report?: true }) => {
  if (message.plan) {
    plan = message.plan
    openAll().then(
      () => process.send?.({ ready: true }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    )
  }
  if (message.reset) {
    bytes = 0
    latencies = []
  }
  if (message.report) process.send?.({ report: report() })
})
process.on('disconnect', () => process.exit())
