import { protocolError } from '../protocol-error.ts'

/** A value of AMF0 as we use it. Dates become numbers, typed objects plain ones. */
export type AmfValue = number | boolean | string | null | undefined | AmfValue[] | { [key: string]: AmfValue }
export type AmfObject = { [key: string]: AmfValue }

const maxDepth = 8
const maxValues = 2_000

/** Reads all values of an AMF0 body. Throws a protocol error on unknown markers, too much nesting or a cut body. */
export function decodeAmf0(body: Buffer): AmfValue[] {
  let offset = 0
  let values = 0

  function take(bytes: number): number {
    const start = offset
    offset += bytes
    if (offset > body.length) throw protocolError('an AMF value is cut off')
    return start
  }

  function text(length: number): string {
    const start = take(length)
    return body.toString('utf8', start, offset)
  }

  function pairs(depth: number): AmfObject {
    // No prototype: the keys are the peer's.
    const object = Object.create(null) as AmfObject
    for (;;) {
      const key = text(body.readUInt16BE(take(2)))
      if (key === '' && body[offset] === 9) {
        offset++
        return object
      }
      object[key] = value(depth + 1)
    }
  }

  function value(depth: number): AmfValue {
    if (depth > maxDepth || ++values > maxValues)
      throw protocolError('an AMF body is nested too deep or too long')
    const marker = body.readUInt8(take(1))
    switch (marker) {
      case 0:
        return body.readDoubleBE(take(8))
      case 1:
        return body[take(1)] !== 0
      case 2:
        return text(body.readUInt16BE(take(2)))
      case 3:
        return pairs(depth)
      case 5:
        return null
      case 6:
        return undefined
      case 8:
        take(4)
        return pairs(depth)
      case 10: {
        const count = body.readUInt32BE(take(4))
        const list: AmfValue[] = []
        for (let i = 0; i < count; i++) list.push(value(depth + 1))
        return list
      }
      case 11: {
        const date = body.readDoubleBE(take(8))
        take(2)
        return date
      }
      case 12:
      case 15:
        return text(body.readUInt32BE(take(4)))
      case 16:
        text(body.readUInt16BE(take(2)))
        return pairs(depth)
      default:
        throw protocolError(`unknown AMF marker ${marker}`)
    }
  }

  const out: AmfValue[] = []
  while (offset < body.length) out.push(value(0))
  return out
}

/** Writes values one after the other as AMF0. */
export function encodeAmf0(...values: AmfValue[]): Buffer {
  return Buffer.concat(values.map(encodeValue))
}

/** Writes an ECMA array, the form script tags of FLV files use for their metadata. */
export function encodeEcmaArray(fields: AmfObject): Buffer {
  const count = Buffer.alloc(5)
  count[0] = 8
  count.writeUInt32BE(Object.keys(fields).length, 1)
  return Buffer.concat([count, encodePairs(fields)])
}

function encodeValue(value: AmfValue): Buffer {
  if (value === null) return Buffer.from([5])
  if (value === undefined) return Buffer.from([6])
  if (typeof value === 'boolean') return Buffer.from([1, value ? 1 : 0])
  if (typeof value === 'number') {
    const out = Buffer.alloc(9)
    out.writeDoubleBE(value, 1)
    return out
  }
  if (typeof value === 'string') return encodeString(value)
  if (Array.isArray(value)) {
    const head = Buffer.alloc(5)
    head[0] = 10
    head.writeUInt32BE(value.length, 1)
    return Buffer.concat([head, ...value.map(encodeValue)])
  }
  return Buffer.concat([Buffer.from([3]), encodePairs(value)])
}

function encodeString(value: string): Buffer {
  const text = Buffer.from(value)
  const long = text.length > 0xffff
  const head = Buffer.alloc(long ? 5 : 3)
  head[0] = long ? 12 : 2
  if (long) head.writeUInt32BE(text.length, 1)
  else head.writeUInt16BE(text.length, 1)
  return Buffer.concat([head, text])
}

function encodePairs(fields: AmfObject): Buffer {
  const out: Buffer[] = []
  for (const [key, value] of Object.entries(fields))
    out.push(encodeString(key).subarray(1), encodeValue(value))
  return Buffer.concat([...out, Buffer.from([0, 0, 9])])
}
