import { createBitReader, type BitReader } from './bits.ts'

/** AAC settings from an AudioSpecificConfig. `record` is kept as sent, for the `esds` box. */
export type AacConfig = {
  codec: string
  /** Core sample rate in hertz; frames are counted with it. */
  sampleRate: number
  channels: number
  /** Core samples in one frame: 1024, seldom 960. */
  frameSamples: number
  record: Buffer
}

const sampleRates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
const channelCounts = [0, 1, 2, 3, 4, 5, 6, 8]

/** Reads an AudioSpecificConfig (ISO 14496-3, 1.6.2.1). Throws on anything malformed. */
export function parseAacConfig(record: Buffer): AacConfig {
  const reader = createBitReader(record)
  let objectType = readObjectType(reader)
  const sampleRate = readSampleRate(reader)
  const channels = channelCounts[reader.bits(4)]
  const signalled = objectType
  // SBR and PS come in front of the core codec they extend.
  if (objectType === 5 || objectType === 29) {
    readSampleRate(reader)
    objectType = readObjectType(reader)
  }
  if (![1, 2, 3, 4].includes(objectType)) throw new Error(`AAC object type ${objectType} is not supported`)
  const frameSamples = reader.flag() ? 960 : 1024
  // Channel setting 0 describes the layout in the stream itself; two is what players assume then.
  if (channels === undefined) throw new Error('unknown AAC channel layout')
  return { codec: `mp4a.40.${signalled}`, sampleRate, channels: channels || 2, frameSamples, record }
}

function readObjectType(reader: BitReader): number {
  const type = reader.bits(5)
  return type === 31 ? 32 + reader.bits(6) : type
}

function readSampleRate(reader: BitReader): number {
  const index = reader.bits(4)
  const rate = index === 15 ? reader.bits(24) : sampleRates[index]
  if (!rate || rate > 192_000) throw new Error('unknown AAC sample rate')
  return rate
}
