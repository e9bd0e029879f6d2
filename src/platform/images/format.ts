export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic'

const heifBrands: Record<string, ImageFormat> = {
  avif: 'avif',
  avis: 'avif',
  heic: 'heic',
  heix: 'heic',
  heim: 'heic',
  heis: 'heic',
  hevc: 'heic',
  hevx: 'heic',
  mif1: 'heic',
  msf1: 'heic',
}

/**
 * The image format by its first 64 bytes, `null` for anything else. Only these are ever given to the decoder:
 * vector, document and camera formats are not worth their attack surface.
 */
export function imageFormatOf(head: Buffer): ImageFormat | null {
  const text = head.toString('latin1', 0, 64)
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(text)) return 'gif'
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'webp'
  if (text.slice(4, 8) !== 'ftyp') return null
  // The main brand, then a version, then compatible brands: a generic main brand may still hold AVIF.
  const main = text.slice(8, 12)
  const compatible: string[] = text.slice(16, head.readUInt32BE(0)).match(/[^]{4}/g) ?? []
  if (heifBrands[main] === 'heic' && compatible.includes('avif')) return 'avif'
  return heifBrands[main] ?? null
}
