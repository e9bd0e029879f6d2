import {
  ADTS,
  FLAC,
  FilePathSource,
  Input,
  Logging,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny'
import type { InputFormat } from 'mediabunny'

export type MediaInfo = {
  durationSeconds: number
  /** Pixels as shown, after rotation; `null` for audio. */
  width: number | null
  height: number | null
  hasAudio: boolean
  /** Short codec names such as `avc`, `vp9`, `aac`, `opus`; `null` if absent or unknown. */
  videoCodec: string | null
  audioCodec: string | null
}

// HLS is left out: a playlist makes the reader open other files.
const formats: InputFormat[] = [MP4, QTFF, MATROSKA, WEBM, MP3, WAVE, OGG, FLAC, ADTS, MPEG_TS]
const longestSeconds = 10_000_000
Logging.level = 0

/**
 * Reads the tracks of a media file. Throws, or never ends, on hostile input: to be run where it can be stopped.
 * `null` if it holds neither picture nor sound, or no believable duration.
 */
export async function readMedia(path: string): Promise<MediaInfo | null> {
  const source = new FilePathSource(path, { handleUnhandledError: () => undefined })
  const input = new Input({ source, formats })
  try {
    const video = await input.getPrimaryVideoTrack()
    const audio = await input.getPrimaryAudioTrack()
    if (video === null && audio === null) return null
    const durationSeconds = await readDuration(input)
    if (!(durationSeconds >= 0 && durationSeconds <= longestSeconds)) return null
    return {
      durationSeconds,
      width: video === null ? null : await video.getDisplayWidth(),
      height: video === null ? null : await video.getDisplayHeight(),
      hasAudio: audio !== null,
      videoCodec: video === null ? null : await video.getCodec(),
      audioCodec: audio === null ? null : await audio.getCodec(),
    }
  } finally {
    input.dispose()
  }
}

// Streams recorded as they ran (TS, fragmented MP4, Ogg) carry no duration, and may begin late.
async function readDuration(input: Input): Promise<number> {
  const stated = await input.getDurationFromMetadata()
  if (stated !== null) return stated
  const start = Math.max(0, await input.getFirstTimestamp())
  return (await input.computeDuration()) - start
}
