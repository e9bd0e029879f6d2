import type { Bounds } from './facts.ts'

/** Values on both sides of one bound: the last that is taken and the first that is not. */
export interface Edge {
  bound: string
  at: unknown
  past: unknown
}

/** The edges of a field. `item` bounds what a list holds, if it holds no objects; else there is an `example` of one. */
export function edgesOf(bounds: Bounds, item: Bounds = {}, example?: unknown): Edge[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, enum: allowed } = bounds
  const list = (length: number) => Array.from({ length }, (_, i) => example ?? itemOf(item, i))
  const edges: (Edge | false | undefined)[] = [
    maxLength !== undefined && {
      bound: `at most ${maxLength} characters`,
      at: text(maxLength),
      past: text(maxLength + 1),
    },
    !!minLength && {
      bound: `at least ${minLength} characters`,
      at: text(minLength),
      past: text(minLength - 1),
    },
    maxItems !== undefined && {
      bound: `at most ${maxItems} items`,
      at: list(maxItems),
      past: list(maxItems + 1),
    },
    !!minItems && { bound: `at least ${minItems} items`, at: list(minItems), past: list(minItems - 1) },
    minimum !== undefined && { bound: `at least ${minimum}`, at: minimum, past: minimum - 1 },
    maximum !== undefined && { bound: `at most ${maximum}`, at: maximum, past: maximum + 1 },
    ...(allowed ?? []).map((value) => ({
      bound: `one of ${allowed!.join(', ')}`,
      at: value,
      past: 'no-such-word',
    })),
  ]
  return edges.filter((edge) => !!edge)
}

/** The first item of the list at a path, when it is an object. */
export function exampleAt(target: unknown, path: string): unknown {
  const list = path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], target)
  return Array.isArray(list) && typeof list[0] === 'object' ? list[0] : undefined
}

/** Sets what a path such as `mentionees[].userIds` names, making what is missing on the way. */
export function place(target: unknown, path: string, value: unknown): unknown {
  const [head, ...rest] = path.split('.')
  const isList = head!.endsWith('[]')
  const key = isList ? head!.slice(0, -2) : head!
  const object: Record<string, unknown> = { ...(target as object) }
  const inner = (old: unknown) => (rest.length > 0 ? place(old, rest.join('.'), value) : value)
  const [first, ...others] = isList && Array.isArray(object[key]) ? (object[key] as unknown[]) : []
  object[key] = isList ? [inner(first), ...others] : inner(object[key])
  return object
}

const text = (length: number) => 'a'.repeat(length)

function itemOf({ enum: allowed, minLength = 1 }: Bounds, i: number): unknown {
  return allowed ? allowed[i % allowed.length] : `${i}`.padStart(minLength, '0')
}
