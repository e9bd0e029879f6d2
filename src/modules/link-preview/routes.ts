import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { fetchPreview } from './preview.ts'
import { remembered } from './remembered.ts'
import { LinkPreview, LinkPreviewQuery, maxUrlLength } from './schema.ts'

export function linkPreviewRoutes({ read }: Routes, outbound: Outbound): void {
  const look = remembered((url) => fetchPreview(outbound, url))
  read(
    'GET',
    '/api/v1/link-preview',
    {
      summary: 'Preview a link',
      tag: 'Link preview',
      query: LinkPreviewQuery,
      answers: { schema: LinkPreview },
    },
    async (_db, { query, raw }) => {
      const url = parseUrl(unescaped(raw.originalUrl) ?? query.url)
      const preview = await look(url.href)
      return { body: preview ?? nothing(url) }
    },
  )
}

/** One of the clients appends the address as it is, so what follows an `&` is still part of it. */
function unescaped(originalUrl: string): string | undefined {
  return /[?&]url=(https?:\/\/.*)$/i.exec(originalUrl)?.[1]
}

function parseUrl(given: string): URL {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(given) ? given : `https://${given}`
  const parsed = url.length <= maxUrlLength && URL.canParse(url) ? new URL(url) : null
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return fail('invalid', 'url is not an http address')
  // What a page is about does not depend on the place in it.
  parsed.hash = ''
  return parsed
}

// Also for addresses that may not be called: the answer tells nothing about them.
function nothing({ hostname }: URL): LinkPreview {
  const domain = hostname.replace(/^www\./, '')
  return { title: null, description: null, image: null, imageUrl: null, video: null, domain }
}
