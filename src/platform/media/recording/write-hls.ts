import { open, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { seconds } from '../hls/playlist.ts'
import { createFragmenter } from '../mp4/fragmenter.ts'
import { encodeInitSegment } from '../mp4/init-segment.ts'
import { readPart, type RecordedPart, type RecordingPlan } from './plan.ts'

type Range = { bytes: number; offset: number }
type RecordedSegment = Range & { duration: number; independent: boolean }

const pace = { segmentMs: 6_000, partMs: Infinity }

/** Writes one part as fragmented MP4 and returns its init segment and segments as byte ranges of that file. */
async function writeSegments(
  source: string,
  target: string,
  part: RecordedPart,
): Promise<{ init: Range; segments: RecordedSegment[] }> {
  const segments: RecordedSegment[] = []
  let ready: Buffer[] = []
  let bytes = 0
  let independent = true
  const init = encodeInitSegment(part.tracks)
  let offset = init.length
  const fragmenter = createFragmenter(part.tracks, pace, {
    part(fragment) {
      ready.push(fragment.bytes)
      bytes += fragment.bytes.length
      independent = fragment.independent
    },
    segment(_startMs, duration) {
      segments.push({ bytes, offset, duration, independent })
      offset += bytes
      bytes = 0
    },
  })
  const file = await open(target, 'w')
  try {
    await file.appendFile(init)
    for await (const tags of readPart(source, part)) {
      for (const tag of tags) fragmenter.add(tag)
      await file.appendFile(Buffer.concat(ready))
      ready = []
    }
    fragmenter.finish(true)
    await file.appendFile(Buffer.concat(ready))
  } finally {
    await file.close()
  }
  return { init: { bytes: init.length, offset: 0 }, segments }
}

/** Writes the playlist of a recording and one file of segments for each part. Returns the paths of the latter. */
export async function writeHls(
  source: string,
  playlistPath: string,
  segmentsPath: (part: number) => string,
  plan: RecordingPlan,
): Promise<string[]> {
  const lines: string[] = []
  const paths: string[] = []
  const all: RecordedSegment[] = []
  for (const [index, part] of plan.parts.entries()) {
    const path = segmentsPath(index + 1)
    const { init, segments } = await writeSegments(source, path, part)
    if (index > 0) lines.push('#EXT-X-DISCONTINUITY')
    lines.push(`#EXT-X-MAP:URI="${basename(path)}",BYTERANGE="${init.bytes}@${init.offset}"`)
    for (const { duration, bytes, offset } of segments) {
      lines.push(`#EXTINF:${seconds(duration)},`, `#EXT-X-BYTERANGE:${bytes}@${offset}`, basename(path))
    }
    paths.push(path)
    all.push(...segments)
  }
  const longest = Math.max(1, ...all.map((segment) => Math.round(segment.duration)))
  const head = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${longest}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    ...(all.every((segment) => segment.independent) ? ['#EXT-X-INDEPENDENT-SEGMENTS'] : []),
  ]
  await writeFile(playlistPath, `${[...head, ...lines, '#EXT-X-ENDLIST'].join('\n')}\n`)
  return paths
}
