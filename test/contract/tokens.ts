import type { Sample } from './recorder.ts'

/**
 * Asks for a page by every forged token; null when the operation has no pages. Each must be refused, or lead
 * somewhere else in the list: answers those for which neither holds.
 */
export async function tryTokens(sample: Sample): Promise<string[] | null> {
  if ((await ask(sample, '{')).status !== 400) return null
  const answers = await Promise.all(forged.map(async (json) => ({ json, answer: await ask(sample, json) })))
  return answers
    .filter(({ answer }) => answer.status !== 200 && answer.body.code !== 400000)
    .map(({ json, answer }) => `${json}: ${JSON.stringify(answer.body)}`)
}

function ask({ client, path, query = {} }: Sample, json: string) {
  const token = Buffer.from(json).toString('base64')
  return client.get(path, { ...query, options: { ...(query.options as object), token } })
}

// Keys of each length a list has, with parts of another kind or beyond all bounds. What no list takes at all is refused
// in one place, which has tests of its own.
const keys = [
  ...['[1]', '[0.5]', '["x"]', '[9e12]'],
  ...['[1,"x"]', '[0.5,"x"]', '["x","x"]', '["x",1]', '[8640000000000001,"x"]'],
  ...['[1,1,"x"]', '[1,"x","x"]'],
]

/** JSON that no list ever gave out. */
const forged = [...keys.map((key) => `{"limit":2,"after":${key}}`), '{"limit":1e9}']
