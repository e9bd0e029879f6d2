import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FlvTag } from '../../test/media/clips.ts'
import { connectRtmp } from '../../test/media/rtmp-client.ts'
import type { MediaPeer } from './peers.ts'

/** Milliseconds from the moment a frame was sent until a playlist offered it, one value for each piece. */
export interface Delays {
  /** From the first frame to the first playlist; the pieces in it are not counted as they waited for it. */
  first: number
  parts: number[]
  segments: number[]
}

/** Publishes tags at their own pace to a peer and watches its playlist for that many seconds. */
export async function measureDelay(peer: MediaPeer, tags: FlvTag[], seconds: number): Promise<Delays> {
  const client = await connectRtmp(peer.rtmp)
  await client.publish('delay')
  const began = performance.now()
  const sending = pace()
  const delays = peer.http ? await watchOverHttp() : await watchOnDisk()
  await sending
  client.close()
  return delays

  async function pace(): Promise<void> {
    for (const tag of tags) {
      if (tag.type === 18) continue
      if (tag.timestamp > seconds * 1000) return
      const wait = began + tag.timestamp - performance.now()
      if (wait > 1) await sleep(wait)
      client.send(tag.type, tag.timestamp, tag.payload)
    }
  }

  /** Adds what a playlist newly shows: the end of each piece in stream time against the clock. */
  function note(text: string, seen: Set<string>, found: Delays): void {
    const at = performance.now() - began
    const isFirst = found.first === 0 && text !== ''
    if (isFirst) found.first = at
    let end = 0
    let duration = 0
    for (const line of text.split('\n')) {
      const part = /^#EXT-X-PART:DURATION=([\d.]+),URI="part-(\d+)-(\d+)/.exec(line)
      if (part) {
        duration += Number(part[1])
        if (!seen.has(part[0]) && !isFirst) found.parts.push(at - (end + duration) * 1000)
        seen.add(part[0])
      }
      const segment = /^#EXTINF:([\d.]+)/.exec(line)
      if (segment) {
        end += Number(segment[1])
        duration = 0
      } else if (line !== '' && !line.startsWith('#')) {
        if (!seen.has(line) && !isFirst) found.segments.push(at - end * 1000)
        seen.add(line)
      }
    }
  }

  async function watchOverHttp(): Promise<Delays> {
    const found: Delays = { first: 0, parts: [], segments: [] }
    const seen = new Set<string>()
    let query = ''
    while (performance.now() - began < seconds * 1000) {
      const response = await fetch(`http://127.0.0.1:${peer.http}/delay/index.m3u8${query}`)
      if (!response.ok) {
        await sleep(50)
        continue
      }
      const text = await response.text()
      note(text, seen, found)
      const hint = /PRELOAD-HINT:TYPE=PART,URI="part-(\d+)-(\d+)/.exec(text)
      query = hint ? `?_HLS_msn=${hint[1]}&_HLS_part=${hint[2]}` : ''
    }
    return found
  }

  async function watchOnDisk(): Promise<Delays> {
    const found: Delays = { first: 0, parts: [], segments: [] }
    const seen = new Set<string>()
    while (performance.now() - began < seconds * 1000) {
      const text = await readFile(join(peer.playlists, 'delay.m3u8'), 'utf8').catch(() => '')
      note(text, seen, found)
      await sleep(20)
    }
    return found
  }
}
