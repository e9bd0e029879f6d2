import type { Db } from './database.ts'
import { networkId } from './paths.ts'
import type { Viewer } from './viewer.ts'

/**
 * Who may subscribe below a topic: the policy that guards reading the object behind it. `pattern` is relative to the
 * network, with `:name` for one segment; it guards the topic itself and everything below.
 */
export interface TopicGuard {
  pattern: string
  allow(db: Db, viewer: Viewer, params: Record<string, string>): Promise<boolean> | boolean
}

/** Answers whether a viewer may subscribe to a filter. Filters that no guard knows, or wider than one, are refused. */
export function createTopicPolicy(guards: TopicGuard[]) {
  const known = guards.map((guard) => ({ ...guard, segments: guard.pattern.split('/').filter(Boolean) }))
  return async (db: Db, viewer: Viewer, filter: string): Promise<boolean> => {
    if (filter === networkId) return true
    const [network, ...segments] = filter.split('/')
    if (network !== networkId) return false
    for (const guard of known) {
      const params = matchSegments(guard.segments, segments)
      if (params && (await guard.allow(db, viewer, params))) return true
    }
    return false
  }
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | null {
  if (segments.length < pattern.length) return null
  const params: Record<string, string> = {}
  for (const [i, expected] of pattern.entries()) {
    const actual = segments[i]!
    // A wildcard above or at the guarded object would reach objects that were not asked about.
    if (expected.startsWith(':')) params[expected.slice(1)] = actual
    else if (actual !== expected) return null
    if (actual === '#') return null
  }
  return params
}
