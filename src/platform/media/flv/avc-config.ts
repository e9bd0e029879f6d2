import { createBitReader, type BitReader } from './bits.ts'

/** H.264 settings from an AVCDecoderConfigurationRecord. `record` is kept as sent, for the `avcC` box. */
export type AvcConfig = {
  codec: string
  width: number
  height: number
  /** Bytes of the length in front of every NAL unit. */
  lengthSize: number
  record: Buffer
  sps: Buffer[]
  pps: Buffer[]
}

const profilesWithChromaFormat = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])

/** Reads an AVCDecoderConfigurationRecord (ISO 14496-15, 5.3.3.1). Throws on anything malformed. */
export function parseAvcConfig(record: Buffer): AvcConfig {
  if (record.length < 7 || record[0] !== 1) throw new Error('not an AVC configuration record')
  const lengthSize = (record[4]! & 3) + 1
  if (lengthSize === 3) throw new Error('a NAL length size of 3 is not allowed')
  let offset = 5
  function parameterSets(count: number): Buffer[] {
    return Array.from({ length: count }, () => {
      const length = record.readUInt16BE(offset)
      const set = record.subarray(offset + 2, offset + 2 + length)
      if (length === 0 || set.length < length) throw new Error('a parameter set is cut off')
      offset += 2 + length
      return set
    })
  }
  const sps = parameterSets(record[offset++]! & 31)
  const pps = parameterSets(record.readUInt8(offset++))
  if (!sps[0]) throw new Error('the AVC configuration has no sequence parameter set')
  const codec = `avc1.${record.subarray(1, 4).toString('hex')}`
  return { codec, ...parseSpsSize(sps[0]), lengthSize, record, sps, pps }
}

/** Takes out the emulation prevention bytes (00 00 03) of a NAL unit. */
function unescapeNal(nal: Uint8Array): Uint8Array {
  const out = new Uint8Array(nal.length)
  let length = 0
  for (let i = 0; i < nal.length; i++) {
    if (i >= 2 && nal[i] === 3 && nal[i - 1] === 0 && nal[i - 2] === 0) continue
    out[length++] = nal[i]!
  }
  return out.subarray(0, length)
}

/** Picture size from a sequence parameter set (H.264, 7.3.2.1.1), cropping applied. */
function parseSpsSize(sps: Uint8Array): { width: number; height: number } {
  const reader = createBitReader(unescapeNal(sps.subarray(1)))
  const profile = reader.bits(8)
  reader.bits(16)
  reader.ue()
  let chromaFormat = 1
  if (profilesWithChromaFormat.has(profile)) {
    chromaFormat = reader.ue()
    if (chromaFormat === 3) reader.flag()
    reader.ue()
    reader.ue()
    reader.flag()
    if (reader.flag()) skipScalingLists(reader, chromaFormat === 3 ? 12 : 8)
  }
  reader.ue()
  skipPictureOrder(reader)
  reader.ue()
  reader.flag()
  const widthInMacroblocks = reader.ue() + 1
  const heightInMapUnits = reader.ue() + 1
  const frameOnly = reader.flag()
  if (!frameOnly) reader.flag()
  reader.flag()
  const crop = reader.flag() ? [reader.ue(), reader.ue(), reader.ue(), reader.ue()] : [0, 0, 0, 0]
  const cropX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1
  const cropY = (chromaFormat === 1 ? 2 : 1) * (frameOnly ? 1 : 2)
  const width = widthInMacroblocks * 16 - (crop[0]! + crop[1]!) * cropX
  const height = heightInMapUnits * 16 * (frameOnly ? 1 : 2) - (crop[2]! + crop[3]!) * cropY
  if (width < 2 || height < 2 || width > 16_384 || height > 16_384) throw new Error('impossible picture size')
  return { width, height }
}

function skipPictureOrder(reader: BitReader): void {
  const type = reader.ue()
  if (type === 0) reader.ue()
  if (type !== 1) return
  reader.flag()
  reader.se()
  reader.se()
  for (let left = reader.ue(); left > 0; left--) reader.se()
}

function skipScalingLists(reader: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    if (!reader.flag()) continue
    let next = 8
    for (let i = 0, last = 8; i < (list < 6 ? 16 : 64); i++) {
      if (next !== 0) next = (last + reader.se() + 256) % 256
      if (next !== 0) last = next
    }
  }
}
