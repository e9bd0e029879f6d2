import { readFileSync } from 'node:fs'

export type Area = 'social' | 'chat' | 'media' | 'platform'

/** Bounds of one parameter or body field, in the words of JSON Schema. */
export interface Bounds {
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  enum?: (string | number)[]
}

/** What is known of an operation without looking at this server. */
export interface Operation {
  /** `METHOD /path/{param}`. */
  id: string
  area: Area
  /** A published client calls it. */
  sdk?: true
  /** Documented keys of the answer: a resource, a list of it (`User[]`), `array`, `object` or `value`. `''` is the body. */
  keys?: Record<string, string>
  /** Keys a published client cannot do without. */
  must?: string[]
  /** Keys a published client reads as lists, when present. */
  arrays?: string[]
  /** By `query.name`, `body.name`, `body.names[]`, `body.name.member`. */
  limits?: Record<string, Bounds>
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

export const operations = read('operations.json') as Operation[]

/** The fields that the published clients declare as always there, by resource. */
export const requiredFields = read('resources.json') as Record<string, string[]>

export const areas: readonly Area[] = ['social', 'chat', 'media', 'platform']

const patterns = operations
  .map((operation) => {
    const [method, path] = operation.id.split(' ') as [string, string]
    const parameters = path.split('{').length - 1
    return { operation, method, parameters, pattern: new RegExp(`^${path.replace(/\{[^}]*\}/g, '[^/]+')}$`) }
  })
  // A fixed segment wins over a parameter.
  .sort((a, b) => a.parameters - b.parameters)

/** The operation a request goes to; undefined for those that are our own. */
export function findOperation(method: string, path: string): Operation | undefined {
  const plain = path.split('?')[0]!.replace(/\/$/, '')
  return patterns.find((one) => one.method === method && one.pattern.test(plain))?.operation
}
