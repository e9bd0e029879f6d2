import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { namedMembers } from './body-members.ts'

describe('the members of a body', () => {
  it('are those its schema names, as they came', () => {
    const keep = namedMembers(Type.Object({ a: Type.Number(), nested: Type.Optional(Type.Object({})) }))
    const nested = { unknown: 1 }
    expect(keep({ a: 1, b: 2, isDeleted: true, nested })).toEqual({ a: 1, nested: { unknown: 1 } })
    expect((keep({ a: 1, nested }) as { nested: object }).nested).toBe(nested)
    expect(keep({})).toEqual({})
    expect(keep(JSON.parse('{"__proto__": {"a": 1}}'))).toEqual({})
  })

  it('are all, where the schema names none', () => {
    const body = { anything: 1 }
    for (const schema of [
      undefined,
      Type.Record(Type.String(), Type.Unknown()),
      Type.Array(Type.Unknown()),
    ]) {
      expect(namedMembers(schema)(body)).toBe(body)
    }
    expect(namedMembers(Type.Object({ a: Type.Number() }))('text')).toBe('text')
  })
})
