// needs: ffmpeg chromium
import { once } from 'node:events'
import sharp from 'sharp'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createStream, readStream, streamPath, untilStatus } from '../factories/streams.ts'
import { startPublisher } from '../media/clips.ts'
import { eventually } from '../harness/eventually.ts'
import { listen } from '../harness/listener.ts'
import { openPlayerBrowser, type PlayerBrowser } from './player-page.ts'
import { openStreamWorld, type StreamWorld } from './stream-server.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let world: StreamWorld
let browser: PlayerBrowser
let clip: string
beforeAll(async () => {
  ;[world, browser] = await Promise.all([
    openStreamWorld({ HUBBUB_STREAM_GRACE_SECONDS: '30' }),
    openPlayerBrowser(),
  ])
  clip = await world.clip(10)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const timeOf = (page: Page) => page.evaluate<number>(`document.querySelector('video').currentTime`)

/** Whether what the page shows is a picture: the test pattern has every colour. */
async function expectPicture(page: Page): Promise<void> {
  const { channels } = await sharp(await page.screenshot()).stats()
  for (const { stdev } of channels.slice(0, 3)) expect(stdev).toBeGreaterThan(30)
}

it('plays live and recorded in a page with hls.js, from signed addresses on another origin', async () => {
  const alice = await world.server.as('alice')
  const { streamId, streamerUrl } = await createStream(alice, { isSecure: true })
  const encoder = startPublisher(clip, streamerUrl.url, 'loop')
  await untilStatus(alice, streamId, 'live')
  const { watcherUrl } = await readStream(await world.server.as('bob'), streamId)
  const news = await listen(world.server, alice)
  const live = await browser.play(watcherUrl.hls.url)
  const began = await eventually(async () => (await timeOf(live)) || undefined, 30_000)
  await eventually(async () => (await timeOf(live)) > began! + 2, 30_000)
  await expectPicture(live)
  expect(await live.evaluate('problems')).toEqual([])
  const { body } = await alice.get(streamPath(streamId, '/viewers'))
  expect(body.players).toBe(1)
  const counted = () => news.heard.filter(({ eventType }) => eventType === 'video-streaming.viewersCounted')
  await eventually(
    () => counted().some(({ data }) => data.streamId === streamId && data.viewerCount === 1),
    12_000,
  )
  news.close()
  const picture = await fetch(watcherUrl.hls.url.replace('index.m3u8', 'thumbnail.jpg'))
  expect((await sharp(Buffer.from(await picture.arrayBuffer())).stats()).channels[0]!.stdev).toBeGreaterThan(
    30,
  )
  await live.close()

  const gone = once(encoder, 'exit')
  await alice.post(streamPath(streamId, '/stop'))
  await gone
  const { recordings } = await untilStatus(alice, streamId, 'recorded')
  const { duration, url } = recordings[0].m3u8
  const replay = await browser.play(url)
  await eventually(async () => (await timeOf(replay)) > 0.2, 30_000)
  const middle = duration * 0.6
  await replay.evaluate(`document.querySelector('video').currentTime = ${middle}`)
  await eventually(async () => (await timeOf(replay)) > middle + 0.3, 30_000)
  await expectPicture(replay)
  expect(await replay.evaluate('problems')).toEqual([])
})
