import { now } from '../../platform/clock.ts'
import type { LinkPreview } from './schema.ts'

const maxEntries = 1000
// A page that could not be looked at may be back soon.
const keepMs = { found: 10 * 60_000, missed: 60_000 }

type Look = (url: string) => Promise<LinkPreview | null>

/** `look`, which is asked at most once at a time for an address, and not again for a while. */
export function remembered(look: Look): Look {
  const entries = new Map<string, { preview: Promise<LinkPreview | null>; until: number }>()

  function ask(url: string): Promise<LinkPreview | null> {
    const entry = { preview: look(url), until: Infinity }
    entries.delete(url)
    entries.set(url, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    entry.preview.then(
      (preview) => (entry.until = now().getTime() + (preview ? keepMs.found : keepMs.missed)),
      () => entries.delete(url),
    )
    return entry.preview
  }

  return (url) => {
    const known = entries.get(url)
    return known && known.until > now().getTime() ? known.preview : ask(url)
  }
}
