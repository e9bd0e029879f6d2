const maxNameBytes = 200

/**
 * A `Content-Disposition` header (RFC 6266) for a name a user chose. Names outside plain ASCII get a readable
 * fallback in `filename` and the whole name in `filename*` (RFC 8187). Folders, control and direction-changing
 * characters are dropped; at most 200 bytes of UTF-8 are kept, the extension among them.
 */
export function contentDisposition(type: 'inline' | 'attachment', name: string): string {
  const clean = cleanName(name)
  if (clean === '') return type
  // A percent sign with two hex digits would be decoded by some browsers.
  const plain = /^[\x20-\x7e]*$/.test(clean) && !/["\\]|%[0-9a-f]{2}/i.test(clean)
  if (plain) return `${type}; filename="${clean}"`
  const fallback = clean
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  return `${type}; filename="${fallback}"; filename*=UTF-8''${encodeExtended(clean)}`
}

function cleanName(name: string): string {
  const wellFormed = Buffer.from(name, 'utf8').toString('utf8')
  const base = wellFormed.split(/[/\\]/).at(-1) ?? ''
  const visible = base.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '').trim()
  return /^\.+$/.test(visible) ? '' : shorten(visible)
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  const extension = /\.[^.]{1,10}$/u.exec(name)?.[0] ?? ''
  let stem = ''
  let room = maxNameBytes - Buffer.byteLength(extension)
  for (const char of name.slice(0, name.length - extension.length)) {
    room -= Buffer.byteLength(char)
    if (room < 0) break
    stem += char
  }
  return stem + extension
}

// encodeURIComponent leaves these five, of which RFC 8187 allows only the exclamation mark.
function encodeExtended(value: string): string {
  return encodeURIComponent(value).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
