const prescanBytes = 4096

/**
 * Turns the bytes of an HTML page into text: by byte order mark, by the charset of the `Content-Type` header, by a
 * `<meta>` near the start; else UTF-8 if it is that, else Windows-1252. Never throws.
 */
export function decodeHtml(bytes: Uint8Array, contentType = ''): string {
  const label = markOf(bytes) ?? charsetIn(contentType) ?? charsetInMeta(bytes)
  return (
    (label === null ? null : decode(bytes, label, false)) ??
    decode(bytes, 'utf-8', true) ??
    decode(bytes, 'windows-1252', false) ??
    ''
  )
}

function markOf(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return a === 0xff && b === 0xfe ? 'utf-16le' : null
}

function charsetIn(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.-]+)/i.exec(text)?.[1] ?? null
}

function charsetInMeta(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, prescanBytes)).toString(
    'latin1',
  )
  const meta = start.match(/<meta\s[^>]*>/gi)?.find((tag) => charsetIn(tag) !== null)
  const label = meta === undefined ? null : charsetIn(meta)
  // A page whose meta element could be read as ASCII is not UTF-16, whatever it says.
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** `null` for an unknown label, and for malformed bytes if they matter; the last character may be cut off. */
function decode(bytes: Uint8Array, label: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes, { stream: true })
  } catch {
    return null
  }
}
