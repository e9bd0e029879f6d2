import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type'

export type SniffedType = { mimeType: string; extension: string }

// The library's names that browsers and players do not know, beside those they do.
const commonNames: Record<string, string> = {
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  'video/matroska': 'video/x-matroska',
  'audio/matroska': 'audio/x-matroska',
}

/**
 * The type of a file by its content, never by its name: from a path, or from its first bytes (4,100 are plenty).
 * `null` for what has no signature, such as text, CSV and SVG. The extension comes without a dot.
 */
export async function sniffType(input: string | Uint8Array): Promise<SniffedType | null> {
  const found = await (typeof input === 'string' ? fileTypeFromFile(input) : fileTypeFromBuffer(input))
  if (found === undefined) return null
  const [mimeType = ''] = found.mime.split(';')
  return { mimeType: commonNames[mimeType] ?? mimeType, extension: found.ext }
}
