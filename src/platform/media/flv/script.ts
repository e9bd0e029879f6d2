import { encodeAmf0, encodeEcmaArray, type AmfObject, type AmfValue } from './amf0.ts'
import { encodeTag, refusedCodec, tagTypes } from './tag.ts'

const carriedFields = [
  'width',
  'height',
  'framerate',
  'videodatarate',
  'audiodatarate',
  'audiosamplerate',
  'stereo',
]

/** Metadata of an encoder: the facts players use, and the first codec it announces that we do not carry. */
export type EncoderMetadata = { fields: AmfObject; refused: string | null }

/** Reads an encoder's `@setDataFrame`/`onMetaData`; null for other script data. */
export function readMetadata(values: AmfValue[]): EncoderMetadata | null {
  const start = values[0] === '@setDataFrame' ? 1 : 0
  if (values[start] !== 'onMetaData') return null
  const sent = values[start + 1]
  if (sent === null || typeof sent !== 'object' || Array.isArray(sent)) return null
  const fields: AmfObject = {}
  for (const name of carriedFields) {
    const value = sent[name]
    if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
      fields[name] = value
  }
  const refused = refusedCodec('video', sent.videocodecid) ?? refusedCodec('audio', sent.audiocodecid)
  return { fields, refused }
}

/** Payload of an `onMetaData` script tag. */
export function encodeMetadata(fields: AmfObject): Buffer {
  return Buffer.concat([encodeAmf0('onMetaData'), encodeEcmaArray(fields)])
}

/** A whole `onMetaData` tag at time zero, as FLV files start with. */
export function metadataTag(fields: AmfObject): Buffer {
  return encodeTag(tagTypes.script, 0, encodeMetadata(fields))
}
