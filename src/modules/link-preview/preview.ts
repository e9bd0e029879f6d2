import { maxPreviewBytes, parseLinkPreview } from '../../platform/outbound/link-preview.ts'
import { isOutboundError } from '../../platform/outbound/outbound-errors.ts'
import type { Outbound, OutboundResponse } from '../../platform/outbound/outbound.ts'
import type { LinkPreview } from './schema.ts'

const timeoutMs = 5000

/** Looks at a page; null when it cannot be looked at or says nothing. Never throws. */
export async function fetchPreview(outbound: Outbound, url: string): Promise<LinkPreview | null> {
  let response: OutboundResponse
  try {
    response = await outbound.request({
      url,
      headers: { accept: 'text/html, application/xhtml+xml, image/*;q=0.5' },
      timeoutMs,
      maxResponseBytes: maxPreviewBytes,
      truncate: true,
      followRedirects: 3,
    })
  } catch (error) {
    if (isOutboundError(error)) return null
    throw error
  }
  return response.status === 200 ? read(response) : null
}

function read({ headers, body, url }: OutboundResponse): LinkPreview | null {
  const contentType = String(headers['content-type'] ?? '')
  if (/^image\//i.test(contentType)) {
    const { domain } = parseLinkPreview('', url)
    return { title: null, description: null, image: url, imageUrl: url, video: null, domain }
  }
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return null
  const preview = parseLinkPreview(body, url, contentType)
  return { ...preview, imageUrl: preview.image }
}
