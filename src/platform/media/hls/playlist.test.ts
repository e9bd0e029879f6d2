import { expect, test } from 'vitest'
import { renderLivePlaylist, type ListedSegment, type LivePlaylist } from './playlist.ts'

const time = new Date('2026-01-02T03:04:05.678Z')
const segment = (number: number, more: Partial<ListedSegment> = {}): ListedSegment => ({
  number,
  duration: 2,
  discontinuity: false,
  init: 'init-0.mp4',
  time,
  independent: true,
  parts: [],
  ...more,
})

const playlist = (more: Partial<LivePlaylist> = {}): LivePlaylist => ({
  targetDuration: 2,
  partTarget: 0.5,
  discontinuitySequence: 3,
  segments: [segment(7), segment(8)],
  open: {
    number: 9,
    discontinuity: false,
    init: 'init-0.mp4',
    time,
    parts: [{ duration: 0.48, independent: true }],
  },
  ended: false,
  ...more,
})

test('a running stream', () => {
  expect(renderLivePlaylist(playlist())).toBe(`#EXTM3U
#EXT-X-VERSION:6
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.500
#EXT-X-PART-INF:PART-TARGET=0.500
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="init-0.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05.678Z
#EXTINF:2.000,
segment-7.m4s
#EXTINF:2.000,
segment-8.m4s
#EXT-X-PART:DURATION=0.480,URI="part-9-0.m4s",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="part-9-1.m4s"
`)
})

test('a discontinuity is told before its first part exists as a segment, with its own init segment', () => {
  const open = { ...playlist().open, discontinuity: true, init: 'init-9.mp4' }
  const text = renderLivePlaylist(playlist({ open }))
  expect(text).toMatch(
    /segment-8.m4s\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="init-9.mp4"\n#EXT-X-PROGRAM.*\n#EXT-X-PART/,
  )
})

test('the first segment keeps its discontinuity, so that players count alike', () => {
  const text = renderLivePlaylist(playlist({ segments: [segment(7, { discontinuity: true })] }))
  expect(text).toMatch(/SEQUENCE:3\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP/)
})

test('an ended stream has an end and announces nothing', () => {
  const text = renderLivePlaylist(playlist({ ended: true }))
  expect(text).toMatch(/segment-8.m4s\n#EXT-X-ENDLIST\n$/)
})

test('segments that begin without a keyframe are not called independent', () => {
  const text = renderLivePlaylist(playlist({ segments: [segment(7), segment(8, { independent: false })] }))
  expect(text).not.toContain('INDEPENDENT-SEGMENTS')
})

test('every address carries the query', () => {
  const text = renderLivePlaylist(playlist(), 'sig=1&exp=2')
  const addresses = text.match(/[a-z]+-[\d-]+\.(m4s|mp4)\S*/g)!
  expect(addresses).toHaveLength(5)
  for (const address of addresses) expect(address).toMatch(/^[^?]+\?sig=1&exp=2"?/)
})
