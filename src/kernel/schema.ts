import { Type, type Static, type TSchema, type TString } from 'typebox'

// Schema pieces that more than one resource uses, in the interface's own words.

/** Null is how an absent value is shown where the field itself is always present. */
export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** ISO 8601 with milliseconds and Z. */
export const Timestamp = Type.String({ format: 'date-time' })
export const Text = (maxLength: number, minLength = 0): TString => Type.String({ minLength, maxLength })
export const StringList = Type.Array(Type.String())
/** Users' own JSON: kept as it came. */
export const Metadata = Type.Record(Type.String(), Type.Unknown())
/** Reaction name -> count. */
export const ReactionCounts = Type.Record(Type.String(), Type.Integer())

/** A Bloom filter over the ids of those who flagged; null while nobody has. */
export const HashFlag = Nullable(
  Type.Object({ bits: Type.Integer(), hashes: Type.Integer(), hash: Type.Array(Type.String()) }),
)

/** Mentioned users as answered. */
export const Mentionee = Type.Object({
  type: Type.Optional(Type.String()),
  userIds: StringList,
  userPublicIds: StringList,
  userInternalIds: StringList,
})
export type Mentionee = Static<typeof Mentionee>

/** Answers that only say it worked. */
export const Success = Type.Object({ success: Type.Boolean() })

/** Whether an id in a path or list is the public or the internal one. */
export const IdKind = Type.Optional(
  Type.Union([Type.Literal('public'), Type.Literal('internal')], { default: 'public' }),
)

/** One of some strings. */
export function OneOf<T extends string>(values: readonly T[], options: { default?: T } = {}) {
  return Type.Unsafe<T>(Type.String({ enum: [...values], ...options }))
}

export function iso(date: Date): string
export function iso(date: Date | null): string | null
export function iso(date: Date | null): string | null {
  return date && date.toISOString()
}

/** The bytes a JSON value takes as UTF-8 text: what limits on metadata count. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
