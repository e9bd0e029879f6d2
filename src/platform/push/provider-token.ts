import { elapsed } from '../clock.ts'

/**
 * Keeps what a service lets us in with until it is `maxAgeMs` old or `forget` is called. Many callers at once make one
 * fetch; a failed one is not kept.
 */
export function keepToken(fetchToken: () => Promise<string>, maxAgeMs: number) {
  let current: { token: Promise<string>; until: number } | null = null
  return {
    get(): Promise<string> {
      if (current && elapsed() < current.until) return current.token
      const kept = { token: fetchToken(), until: elapsed() + maxAgeMs }
      current = kept
      kept.token.catch(() => {
        if (current === kept) current = null
      })
      return kept.token
    },
    forget(): void {
      current = null
    },
  }
}
