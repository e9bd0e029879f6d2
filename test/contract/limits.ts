import type { TestAnswer } from '../harness/client.ts'
import { edgesOf, exampleAt, place } from './bounds.ts'
import type { Operation } from './facts.ts'
import type { Sample } from './recorder.ts'

/** What was found of one documented bound. */
export interface Finding {
  /** `operation field: bound`. */
  limit: string
  problem?: string
}

/** Sends a sample again for each bound of its operation: with the last value inside, and the first outside. */
export async function tryLimits({ id, limits = {} }: Operation, sample: Sample): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [field, bounds] of Object.entries(limits)) {
    for (const { bound, at, past } of edgesOf(
      bounds,
      limits[`${field}[]`],
      exampleAt({ query: sample.query, body: sample.body }, field),
    )) {
      const limit = `${id} ${field}: ${bound}`
      // A query string cannot hold a list without items, nor a string of none.
      const hasPast = !(
        field.startsWith('query.') &&
        (past === '' || (Array.isArray(past) && past.length === 0))
      )
      const inside = await send(sample, field, at)
      const outside = hasPast ? await send(sample, field, past) : undefined
      // What is past one bound may be past another one too; what matters is that it is refused.
      const problems = [
        inside.status === 422 && `refuses ${show(at)}: ${JSON.stringify(inside.body.data)}`,
        inside.status >= 500 && `answers ${inside.status} to ${show(at)}`,
        outside && ![400, 422].includes(outside.status) && `answers ${outside.status} to ${show(past)}`,
      ].filter((problem) => !!problem)
      findings.push({ limit, ...(problems.length > 0 && { problem: problems.join(', ') }) })
    }
  }
  return findings
}

function send(
  { client, method, path, query = {}, body }: Sample,
  field: string,
  value: unknown,
): Promise<TestAnswer> {
  const [where, ...rest] = field.split('.')
  const name = rest.join('.')
  const at = where === 'query' ? path : path.split('?')[0]!
  switch (method) {
    case 'GET':
      return client.get(path, place(query, name, value) as Record<string, unknown>)
    case 'POST':
      return client.post(at, place(body, name, value))
    case 'PUT':
      return client.put(at, place(body, name, value))
    default:
      return client.delete(path, place(body, name, value))
  }
}

function show(value: unknown): string {
  if (typeof value === 'string' && value.length > 20) return `${value.length} characters`
  return Array.isArray(value) ? `${value.length} items` : JSON.stringify(value)
}
