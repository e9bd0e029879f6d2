import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { AmfObject } from '../flv/amf0.ts'
import { metadataTag } from '../flv/script.ts'
import { flvFileHeader, flvFileHeaderBytes } from '../flv/tag.ts'
import type { RecordingPlan } from './plan.ts'

/** Writes the recording as FLV with its duration and an index of keyframes, so that players can seek. */
export async function writeFlv(source: string, target: string, plan: RecordingPlan): Promise<void> {
  const has = {
    audio: plan.parts.some((part) => part.tracks.audio),
    video: plan.parts.some((part) => part.tracks.video),
  }
  // The index holds positions behind itself; its size does not depend on their values.
  const tagBytes = metadataTag(describe(plan, 0)).length
  const head = Buffer.concat([flvFileHeader(has), metadataTag(describe(plan, tagBytes))])
  const output = createWriteStream(target)
  output.write(head)
  await pipeline(createReadStream(source, { start: flvFileHeaderBytes, end: plan.bytes - 1 }), output)
}

function describe(plan: RecordingPlan, shift: number): AmfObject {
  const video = plan.parts.find((part) => part.tracks.video)?.tracks.video
  const audio = plan.parts.find((part) => part.tracks.audio)?.tracks.audio
  return {
    duration: (plan.end - plan.start) / 1000,
    filesize: plan.bytes + shift,
    lasttimestamp: plan.end / 1000,
    hasKeyframes: plan.keyframes.length > 0,
    canSeekToEnd: false,
    ...(video && { width: video.width, height: video.height, videocodecid: 7 }),
    ...(audio && { audiosamplerate: audio.sampleRate, stereo: audio.channels > 1, audiocodecid: 10 }),
    keyframes: {
      times: plan.keyframes.map((keyframe) => keyframe.time / 1000),
      filepositions: plan.keyframes.map((keyframe) => keyframe.offset + shift),
    },
  }
}
