import { Pool } from 'undici'

/** One request of a load; called anew for each, so that bodies can differ. */
export interface LoadRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface LoadResult {
  /** Answered requests a second. */
  rate: number
  p50: number
  p99: number
}

/** Keeps `connections` requests under way for some milliseconds. Throws on any answer but 200. */
export async function load(
  origin: string,
  next: () => LoadRequest,
  ms: number,
  connections = 32,
): Promise<LoadResult> {
  const pool = new Pool(origin, { connections, pipelining: 1 })
  const times: number[] = []
  const start = performance.now()
  const worker = async () => {
    while (performance.now() - start < ms) {
      const { method, path, headers = {}, body } = next()
      const sent = performance.now()
      const answer = await pool.request({ method, path, headers, ...(body !== undefined && { body }) })
      const text = await answer.body.text()
      if (answer.statusCode !== 200)
        throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 200)}`)
      times.push(performance.now() - sent)
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, worker))
  } finally {
    await pool.destroy()
  }
  const seconds = (performance.now() - start) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) }
}

/** The middle one of several results by rate. */
export function median(results: LoadResult[]): LoadResult {
  return results.toSorted((a, b) => a.rate - b.rate)[Math.floor(results.length / 2)]!
}
