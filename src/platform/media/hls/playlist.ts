/** A finished segment as a live playlist shows it. Durations in seconds. */
export type ListedSegment = {
  number: number
  duration: number
  /** First segment after an interruption or a change of codec settings. */
  discontinuity: boolean
  /** Name of the init segment it belongs to. */
  init: string
  /** Wall-clock time of its first frame. */
  time: Date
  independent: boolean
  /** Parts still listed for low-latency players. */
  parts: ListedPart[]
}

export type ListedPart = { duration: number; independent: boolean }

export type LivePlaylist = {
  targetDuration: number
  partTarget: number
  discontinuitySequence: number
  segments: ListedSegment[]
  /** The segment being made, with the parts it has so far. */
  open: Omit<ListedSegment, 'duration' | 'independent'>
  ended: boolean
}

/** File name of a segment; parts of it are named alike. */
export const segmentName = (number: number): string => `segment-${number}.m4s`
const partName = (number: number, part: number): string => `part-${number}-${part}.m4s`

/** Writes the media playlist (RFC 8216bis); `carryQuery` is put behind every address. */
export function renderLivePlaylist(playlist: LivePlaylist, carryQuery = ''): string {
  const suffix = carryQuery ? `?${carryQuery}` : ''
  const { segments, open } = playlist
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${playlist.targetDuration}`,
    `#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=${seconds(playlist.partTarget * 3)}`,
    `#EXT-X-PART-INF:PART-TARGET=${seconds(playlist.partTarget)}`,
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]?.number ?? open.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
  ]
  if (segments.every((segment) => segment.independent)) lines.push('#EXT-X-INDEPENDENT-SEGMENTS')
  let init = ''
  function head(segment: Omit<ListedSegment, 'duration' | 'independent'>): void {
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY')
    if (segment.init !== init) lines.push(`#EXT-X-MAP:URI="${segment.init}${suffix}"`)
    if (segment.discontinuity || init === '')
      lines.push(`#EXT-X-PROGRAM-DATE-TIME:${segment.time.toISOString()}`)
    init = segment.init
    segment.parts.forEach((part, index) => {
      const independent = part.independent ? ',INDEPENDENT=YES' : ''
      const uri = partName(segment.number, index) + suffix
      lines.push(`#EXT-X-PART:DURATION=${seconds(part.duration)},URI="${uri}"${independent}`)
    })
  }
  for (const segment of segments) {
    head(segment)
    lines.push(`#EXTINF:${seconds(segment.duration)},`, segmentName(segment.number) + suffix)
  }
  if (playlist.ended) lines.push('#EXT-X-ENDLIST')
  else {
    if (open.parts.length > 0) head(open)
    // Also while no media comes: hls.js takes the last segment for the one to come when no part is announced.
    lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${partName(open.number, open.parts.length)}${suffix}"`)
  }
  return `${lines.join('\n')}\n`
}

/** Seconds as playlists write them. */
export function seconds(value: number): string {
  return value.toFixed(3)
}
