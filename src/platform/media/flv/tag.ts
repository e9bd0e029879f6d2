/** Numbers of the FLV tag types; RTMP uses the same for its messages. */
export const tagTypes = { audio: 8, video: 9, script: 18 } as const

/** Bytes before and after the payload in a whole FLV tag. */
export const tagHeaderBytes = 11
export const tagTrailerBytes = 4

/** The fixed part of a video tag's payload before the NAL units, and of an AAC tag's before the frame. */
const videoPrefixBytes = 5
const audioPrefixBytes = 2

/** One audio or video tag in the stream's own time. `bytes` is the whole FLV tag and is never changed again. */
export type MediaTag = {
  kind: 'audio' | 'video'
  /** Decode time in milliseconds since the stream began. */
  timestamp: number
  /** Presentation minus decode time in milliseconds. */
  compositionTime: number
  /** A video keyframe; false for audio. */
  key: boolean
  /** The codec's configuration record rather than media. */
  config: boolean
  bytes: Buffer
}

/** What a payload is: media to pass on, nothing of use, or a codec we do not carry. */
export type Classified =
  | { use: 'media'; key: boolean; config: boolean; compositionTime: number }
  | { use: 'ignore' }
  | { use: 'refuse'; codec: string }

const videoCodecs: Record<number, string> = {
  2: 'Sorenson H.263',
  3: 'Screen video',
  4: 'VP6',
  5: 'VP6 with alpha',
  6: 'Screen video 2',
  12: 'HEVC',
  13: 'AV1',
}
const audioCodecs: Record<number, string> = {
  0: 'PCM',
  1: 'ADPCM',
  2: 'MP3',
  3: 'PCM',
  4: 'Nellymoser',
  5: 'Nellymoser',
  6: 'Nellymoser',
  7: 'G.711',
  8: 'G.711',
  11: 'Speex',
  13: 'Opus',
  14: 'MP3',
}
const fourCcNames: Record<string, string> = { hvc1: 'HEVC', av01: 'AV1', vp09: 'VP9', vp08: 'VP8' }

/** The name of a codec an encoder announces by number in its metadata and we do not carry; null for those we do. */
export function refusedCodec(kind: 'audio' | 'video', id: unknown): string | null {
  if (typeof id !== 'number' || id <= 0) return null
  if (kind === 'audio') return id === 10 ? null : (audioCodecs[id] ?? `audio codec ${id}`)
  if (id === 7) return null
  const fourCc = String.fromCharCode((id >> 24) & 255, (id >> 16) & 255, (id >> 8) & 255, id & 255)
  return videoCodecs[id] ?? fourCcNames[fourCc] ?? `video codec ${id}`
}

/** Reads the first bytes of a video payload (FLV 10.1, E.4.3.1, and the extended header of Enhanced RTMP). */
export function classifyVideo(payload: Buffer): Classified {
  const first = payload[0]
  if (first === undefined) return { use: 'ignore' }
  if (first & 0x80) {
    const fourCc = payload.toString('latin1', 1, 5)
    return { use: 'refuse', codec: fourCcNames[fourCc] ?? 'video of the extended RTMP header' }
  }
  const codec = first & 15
  const frame = first >> 4
  if (frame === 5) return { use: 'ignore' }
  if (codec !== 7) return { use: 'refuse', codec: videoCodecs[codec] ?? `video codec ${codec}` }
  const packetType = payload[1]
  if (payload.length <= videoPrefixBytes || packetType === undefined || packetType > 1)
    return { use: 'ignore' }
  return {
    use: 'media',
    key: frame === 1 && packetType === 1,
    config: packetType === 0,
    compositionTime: payload.readIntBE(2, 3),
  }
}

/** Reads the first bytes of an audio payload (FLV 10.1, E.4.2.1). */
export function classifyAudio(payload: Buffer): Classified {
  const first = payload[0]
  if (first === undefined) return { use: 'ignore' }
  const codec = first >> 4
  if (codec !== 10) return { use: 'refuse', codec: audioCodecs[codec] ?? `audio codec ${codec}` }
  if (payload.length <= audioPrefixBytes) return { use: 'ignore' }
  return { use: 'media', key: false, config: payload[1] === 0, compositionTime: 0 }
}

/** Fills in the header and trailer around a payload that already sits at `tagHeaderBytes`. */
export function writeTagEnds(bytes: Buffer, type: number, timestamp: number): void {
  const size = bytes.length - tagHeaderBytes - tagTrailerBytes
  bytes[0] = type
  bytes.writeUIntBE(size, 1, 3)
  bytes.writeUIntBE(timestamp & 0xffffff, 4, 3)
  bytes[7] = (timestamp >>> 24) & 0xff
  bytes.writeUIntBE(0, 8, 3)
  bytes.writeUInt32BE(size + tagHeaderBytes, bytes.length - tagTrailerBytes)
}

/** A whole tag around a payload. */
export function encodeTag(type: number, timestamp: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(tagHeaderBytes + payload.length + tagTrailerBytes)
  payload.copy(bytes, tagHeaderBytes)
  writeTagEnds(bytes, type, timestamp)
  return bytes
}

/** The payload inside a whole tag. */
export function tagPayload(bytes: Buffer): Buffer {
  return bytes.subarray(tagHeaderBytes, bytes.length - tagTrailerBytes)
}

/** The configuration record, the NAL units or the AAC frame inside a tag, without FLV's own prefix. */
export function codecData(tag: MediaTag): Buffer {
  const prefix = tag.kind === 'video' ? videoPrefixBytes : audioPrefixBytes
  return tag.bytes.subarray(tagHeaderBytes + prefix, tag.bytes.length - tagTrailerBytes)
}

/** The nine bytes an FLV file starts with, and the empty size field after them. */
export function flvFileHeader(has: { audio: boolean; video: boolean }): Buffer {
  const flags = (has.audio ? 4 : 0) | (has.video ? 1 : 0)
  return Buffer.from([0x46, 0x4c, 0x56, 1, flags, 0, 0, 0, 9, 0, 0, 0, 0])
}

/** Bytes of `flvFileHeader`. */
export const flvFileHeaderBytes = 13
