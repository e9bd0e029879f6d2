import { expect, it } from 'vitest'
import { createQuerySigner, isSameSecret } from './signed-query.ts'

const signer = createQuerySigner('secret')
const at = new Date('2030-01-01T00:00:00Z')
const later = new Date('2030-01-01T01:00:00Z')
const parse = (query: string) => Object.fromEntries(new URLSearchParams(query))

it('opens what was signed to whom it was signed for, until it expires', () => {
  const query = parse(signer.sign('stream', 'viewer', later))
  expect(signer.verify('stream', query, at)).toBe('viewer')
  expect(signer.verify('stream', query, later)).toBeNull()
  expect(signer.verify('other', query, at)).toBeNull()
  expect(createQuerySigner('another').verify('stream', query, at)).toBeNull()
})

it.each([
  { viewer: 'else' },
  { expires: '99999999999' },
  { expires: '' },
  { signature: '' },
  { signature: 'x' },
])('refuses %j in its place', (change) => {
  const query = { ...parse(signer.sign('stream', 'viewer', later)), ...change }
  expect(signer.verify('stream', query, at)).toBeNull()
})

it('refuses a query without a signature', () => {
  expect(signer.verify('stream', {}, at)).toBeNull()
})

it('compares secrets of any length', () => {
  expect([isSameSecret('a', 'a'), isSameSecret('a', 'ab'), isSameSecret('', 'a')]).toEqual([
    true,
    false,
    false,
  ])
})
