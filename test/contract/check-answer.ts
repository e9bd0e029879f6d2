import { requiredFields, type Operation } from './facts.ts'

/** Where a successful answer differs from the facts of its operation; empty when it does not. */
export function checkAnswer({ keys = {}, must = [], arrays = [] }: Operation, body: unknown): string[] {
  const problems: string[] = []
  for (const path of must) if (valueAt(body, path) === undefined) problems.push(`${path} is missing`)
  for (const path of arrays) {
    const value = valueAt(body, path)
    if (value !== undefined && !Array.isArray(value)) problems.push(`${path} is not an array`)
  }
  for (const [path, type] of Object.entries(keys)) {
    const value = valueAt(body, path)
    // Absent paging means that there is no other page.
    if (value === undefined && /(^|\.)paging$/.test(path)) continue
    problems.push(...checkKey(path || 'the body', type, value))
  }
  return [...new Set(problems)]
}

function checkKey(path: string, type: string, value: unknown): string[] {
  if (value === undefined) return [`${path} is missing`]
  if (type === 'value') return []
  if (type === 'object') return isObject(value) ? [] : [`${path} is not an object`]
  const resource = type.replace('[]', '')
  if (type === 'array' || type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${path} is not an array`]
    return value.flatMap((item) => checkFields(`${path}[]`, resource, item))
  }
  return isObject(value) ? checkFields(path, resource, value) : [`${path} is not an object`]
}

function checkFields(path: string, resource: string, value: unknown): string[] {
  const fields = requiredFields[resource] ?? []
  if (fields.length > 0 && !isObject(value)) return [`${path} is not an object`]
  return fields
    .filter((field) => (value as Record<string, unknown>)[field] === undefined)
    .map((field) => `${path}.${field} is missing`)
}

function valueAt(body: unknown, path: string): unknown {
  if (path === '') return body
  return path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
