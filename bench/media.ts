// Processor time of live video: one published stream, then 1, 10 and 50 players, for the built-in media server
// beside nginx-rtmp, all at the same time on loopback; and how soon a playlist offers what was sent.
// Needs ffmpeg; nginx and libnginx-mod-rtmp are left out when missing. Prints Markdown. Takes under four minutes.
//   npx tsx bench/media.ts [--quick]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ffmpeg, readFlv, startPublisher } from '../test/media/clips.ts'
import { measureDelay, type Delays } from './media/delay.ts'
import { processorTime, startBuiltIn, startNginx, type MediaPeer } from './media/peers.ts'
import type { PlayersOrder } from './media/players-process.ts'

const quick = process.argv.includes('--quick')
const WARM_UP_SECONDS = quick ? 5 : 30
/** Of so many windows the one in the middle counts: collections of garbage and other programs make outliers. */
const WINDOWS = quick ? 3 : 5
const WINDOW_SECONDS = quick ? 3 : 6
const DELAY_SECONDS = quick ? 8 : 14
const PLAYERS = [1, 10, 50]
const MEGABITS = 2.5

interface Row {
  peer: MediaPeer
  kind: PlayersOrder['kind']
}

const folder = await mkdtemp(join(tmpdir(), 'bench-media-'))
const clip = join(folder, 'clip.flv')
await ffmpeg(
  ...['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30', '-f', 'lavfi', '-i', 'sine=sample_rate=44100'],
  ...['-t', '20', '-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '60'],
  ...['-b:v', `${MEGABITS}M`, '-minrate', `${MEGABITS}M`, '-maxrate', `${MEGABITS}M`, '-bufsize', '1M'],
  ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '128k', '-f', 'flv', clip],
)
const builtIn = await startBuiltIn(folder)
// A second one, so that HTTP-FLV and RTMP players are measured at the same time.
const builtInRtmp = await startBuiltIn(join(folder, 'second'))
const relay = await startNginx(folder, false)
const full = await startNginx(folder, true)
const rows: Row[] = [
  { peer: builtIn, kind: 'flv' },
  { peer: builtInRtmp, kind: 'rtmp' },
  ...[relay, full].filter((peer) => peer !== null).map((peer): Row => ({ peer, kind: 'rtmp' })),
]
const publishers: ChildProcess[] = []
const players: ChildProcess[] = []
try {
  for (const { peer } of rows) publishers.push(startPublisherLoop(peer))
  await sleep(WARM_UP_SECONDS * 1000)
  const results = rows.map(() => [] as number[])
  await measure(results)
  let connected = 0
  for (const count of PLAYERS) {
    for (const [index, row] of rows.entries()) {
      players[index] ??= fork(new URL('media/players-process.ts', import.meta.url), {
        execArgv: ['--import', 'tsx'],
      })
      const { kind, peer } = row
      const port = kind === 'flv' ? peer.http : peer.rtmp
      players[index].send({ kind, port, stream: 'cpu', count: count - connected } satisfies PlayersOrder)
      await once(players[index], 'message')
    }
    connected = count
    await sleep(1_500)
    await measure(results)
  }
  for (const [index, player] of players.entries()) await checkDelivered(player, rows[index]!.peer.name)
  printProcessorTime(results)
  stopAll([...publishers, ...players])
  const tags = await readFlv(clip)
  printDelays(builtIn, await measureDelay(builtIn, tags, DELAY_SECONDS))
  if (full) printDelays(full, await measureDelay(full, tags, DELAY_SECONDS))
} finally {
  stopAll([...publishers, ...players])
  for (const peer of [builtIn, builtInRtmp, relay, full]) await peer?.stop()
  await rm(folder, { recursive: true, force: true })
}

function startPublisherLoop(peer: MediaPeer): ChildProcess {
  return startPublisher(clip, `rtmp://127.0.0.1:${peer.rtmp}/live/cpu`, 'loop')
}

/** Adds to each list the processor milliseconds per second of its peer; all peers are measured in the same windows. */
async function measure(results: number[][]): Promise<void> {
  const windows: number[][] = rows.map(() => [])
  let before = await Promise.all(rows.map(({ peer }) => processorTime(peer)))
  let began = performance.now()
  for (let window = 0; window < WINDOWS; window++) {
    await sleep(WINDOW_SECONDS * 1000)
    const after = await Promise.all(rows.map(({ peer }) => processorTime(peer)))
    const seconds = (performance.now() - began) / 1000
    windows.forEach((list, index) => list.push((after[index]! - before[index]!) / seconds))
    before = after
    began = performance.now()
  }
  results.forEach((list, index) => list.push(median(windows[index]!)))
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1]!
}

async function checkDelivered(player: ChildProcess, name: string): Promise<void> {
  player.send('count')
  const [{ bytes }] = (await once(player, 'message')) as [{ bytes: number }]
  const expected =
    (MEGABITS / 8) * 1e6 * WINDOWS * WINDOW_SECONDS * PLAYERS.reduce((sum, count) => sum + count, 0)
  if (bytes < expected * 0.8) console.log(`\n${name}: players got only ${Math.round(bytes / 1e6)} MB\n`)
}

function printProcessorTime(results: number[][]): void {
  const load = loadavg()[0]!.toFixed(1)
  console.log(
    `\n### Processor time of one ${MEGABITS} Mbit/s stream, in milliseconds per second\n\n` +
      `Medians of ${WINDOWS} windows of ${WINDOW_SECONDS} s. ` +
      `${availableParallelism()} processors, load ${load}, Node ${process.versions.node}, all servers at once.\n`,
  )
  console.log(
    `| server | players | publishing alone | ${PLAYERS.map((n) => `${n}`).join(' | ')} | each further player |`,
  )
  console.log(`|---|---|---|${PLAYERS.map(() => '---').join('|')}|---|`)
  rows.forEach(({ peer, kind }, index) => {
    const list = results[index]!
    const each = (list.at(-1)! - list[1]!) / (PLAYERS.at(-1)! - PLAYERS[0]!)
    const name = peer.name === 'built-in' ? 'built-in, HLS and recording' : peer.name
    const label = kind === 'flv' ? 'HTTP-FLV' : 'RTMP'
    console.log(
      `| ${name} | ${label} | ${list.map((value) => value.toFixed(1)).join(' | ')} | ${each.toFixed(2)} |`,
    )
  })
}

function printDelays(peer: MediaPeer, { first, parts, segments }: Delays): void {
  const show = (list: number[]) => {
    if (list.length === 0) return 'none'
    return `median ${median(list).toFixed(0)} ms, longest ${Math.max(...list).toFixed(0)} ms`
  }
  console.log(`\n${peer.name}: from sending a piece's last frame until the playlist shows the piece:`)
  console.log(`- first playlist: ${(first / 1000).toFixed(2)} s after the first frame`)
  console.log(`- parts of half a second: ${show(parts)} (${parts.length})`)
  console.log(`- segments of two seconds: ${show(segments)} (${segments.length})`)
}

function stopAll(processes: ChildProcess[]): void {
  for (const one of processes) if (one.exitCode === null && one.signalCode === null) one.kill('SIGKILL')
}
