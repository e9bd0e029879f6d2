import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  FilePathTarget,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import type { Sample } from '../mp4/fragment.ts'
import { videoTimescale } from '../mp4/init-segment.ts'
import { createSampler } from '../mp4/sampler.ts'
import { readPart, type RecordedPart } from './plan.ts'

/** Writes one part as MP4 with its index in front (fast start), so that players seek without reading it all. */
export async function writeMp4(source: string, target: string, part: RecordedPart): Promise<void> {
  const { video, audio } = part.tracks
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'reserve' }),
    target: new FilePathTarget(target),
  })
  const videoSource = video && new EncodedVideoPacketSource('avc')
  const audioSource = audio && new EncodedAudioPacketSource('aac')
  if (videoSource) output.addVideoTrack(videoSource, { maximumPacketCount: part.frames.video })
  if (audioSource) output.addAudioTrack(audioSource, { maximumPacketCount: part.frames.audio })
  const videoMeta = video && {
    decoderConfig: {
      codec: video.codec,
      codedWidth: video.width,
      codedHeight: video.height,
      description: new Uint8Array(video.record),
    },
  }
  const audioMeta = audio && {
    decoderConfig: {
      codec: audio.codec,
      sampleRate: audio.sampleRate,
      numberOfChannels: audio.channels,
      description: new Uint8Array(audio.record),
    },
  }
  let ready: Sample[] = []
  const sampler = createSampler(part.tracks, (sample) => ready.push(sample))

  async function write(): Promise<void> {
    for (const sample of ready) {
      const scale = sample.kind === 'video' ? videoTimescale : audio!.sampleRate
      const time = (sample.decodeTime + sample.compositionOffset) / scale
      const type = sample.kind === 'audio' || sample.key ? 'key' : 'delta'
      const packet = new EncodedPacket(sample.data, type, time, sample.duration / scale)
      if (sample.kind === 'video') await videoSource?.add(packet, videoMeta ?? undefined)
      else await audioSource?.add(packet, audioMeta ?? undefined)
    }
    ready = []
  }

  await output.start()
  try {
    for await (const tags of readPart(source, part)) {
      for (const tag of tags) sampler.add(tag)
      await write()
    }
    sampler.finish()
    await write()
    await output.finalize()
  } catch (error) {
    await output.cancel()
    throw error
  }
}
