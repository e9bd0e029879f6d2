import { isIP } from 'node:net'
import { Parser } from 'htmlparser2'
import { addressKind } from './address-kind.ts'
import { decodeHtml } from './decode-html.ts'

export type LinkPreview = {
  title: string | null
  description: string | null
  /** Absolute http(s) URLs. */
  image: string | null
  video: string | null
  /** Host of the page without `www.`, in its ASCII form. */
  domain: string
}

/** How much of a page is looked at; what describes it stands at the start. */
export const maxPreviewBytes = 512 * 1024

// The parser's cost grows with the square of the depth.
const maxDepth = 1000
const limits = { title: 300, description: 1000, url: 2000 }

// Best first. Names are those of Open Graph, Twitter cards and HTML itself.
const sources = {
  title: ['og:title', 'twitter:title', '<title>'],
  description: ['og:description', 'twitter:description', 'description'],
  image: [
    'og:image:secure_url',
    'og:image:url',
    'og:image',
    'twitter:image',
    'twitter:image:src',
    '<image_src>',
  ],
  video: ['og:video:secure_url', 'og:video:url', 'og:video', 'twitter:player:stream'],
} as const

/**
 * Reads what a page says about itself from its first 512 KiB. `html` are its bytes (decoded by `contentType`, its
 * own declaration, or a guess) or text; `baseUrl` is where it came from, after redirects. Never throws on any
 * page; texts are single lines of bounded length, URLs to private addresses are dropped.
 */
export function parseLinkPreview(
  html: Uint8Array | string,
  baseUrl: string,
  contentType?: string,
): LinkPreview {
  const start = html.slice(0, maxPreviewBytes)
  const { found, base } = readHead(typeof start === 'string' ? start : decodeHtml(start, contentType))
  const page = new URL(baseUrl)
  const origin = resolveUrl(base ?? '', page) ?? baseUrl
  const first = <T>(names: readonly string[], read: (value: string) => T | null): T | null => {
    for (const name of names) {
      const value = read(found.get(name) ?? '')
      if (value !== null) return value
    }
    return null
  }
  const url = (value: string) =>
    value.trim() === '' ? null : publicUrl(resolveUrl(value, new URL(origin)), page)
  return {
    title: first(sources.title, (value) => cleanText(value, limits.title)),
    description: first(sources.description, (value) => cleanText(value, limits.description)),
    image: first(sources.image, url),
    video: first(sources.video, url),
    domain: page.hostname.replace(/^www\./, ''),
  }
}

const wanted = new Set<string>(Object.values(sources).flat())

/** First non-empty value of each wanted name, and the page's `<base>`. */
function readHead(text: string): { found: Map<string, string>; base: string | null } {
  const found = new Map<string, string>()
  let base: string | null = null
  let title: string | null = null
  let depth = 0
  let foreignDepth = 0
  const note = (name: string, value: string | undefined) => {
    if (wanted.has(name) && !found.has(name) && value !== undefined && value.trim() !== '')
      found.set(name, value)
  }
  const parser = new Parser({
    onopentag(tag, attributes) {
      depth += 1
      if (depth > maxDepth) parser.pause()
      // An icon drawn in the page has a <title> of its own.
      if (tag === 'svg' || tag === 'math') foreignDepth += 1
      if (tag === 'title' && foreignDepth === 0) title = ''
      if (tag === 'base') base ??= attributes['href'] ?? null
      if (tag === 'link' && attributes['rel']?.toLowerCase() === 'image_src')
        note('<image_src>', attributes['href'])
      if (tag !== 'meta') return
      note((attributes['property'] ?? '').trim().toLowerCase(), attributes['content'])
      note((attributes['name'] ?? '').trim().toLowerCase(), attributes['content'])
    },
    ontext(part) {
      if (title !== null) title += part
    },
    onclosetag(tag) {
      depth -= 1
      if (tag === 'svg' || tag === 'math') foreignDepth = Math.max(0, foreignDepth - 1)
      if (tag !== 'title' || title === null) return
      note('<title>', title)
      title = null
    },
  })
  parser.end(text)
  return { found, base }
}

/** One line without control or direction-changing characters, cut between characters; `null` if nothing is left. */
function cleanText(value: string, maxLength: number): string | null {
  const line = value
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffd]|\p{Cs}/gu, '')
    .trim()
  if (line.length <= maxLength) return line === '' ? null : line
  const cut = line.slice(0, maxLength - 1)
  return `${cut.replace(/[\ud800-\udbff]$/, '').trimEnd()}…`
}

function resolveUrl(value: string, base: URL): string | null {
  if (value.length > limits.url || !URL.canParse(value.trim(), base.href)) return null
  const url = new URL(value.trim(), base)
  const usable = /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return usable && url.href.length <= limits.url ? url.href : null
}

// A public page has no business making its readers' devices call into their own networks.
function publicUrl(value: string | null, page: URL): string | null {
  if (value === null) return null
  const { hostname } = new URL(value)
  return isLocal(hostname) && hostname !== page.hostname ? null : value
}

function isLocal(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (isIP(host) !== 0 && addressKind(host) !== 'public')
  )
}
