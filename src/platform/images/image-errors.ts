import { isQueueFull } from '../limiter.ts'
import { errorKind } from '../typed-error.ts'
import type { TypedError } from '../typed-error.ts'

/**
 * - `corrupt`: the bytes are not a whole, readable image.
 * - `tooManyPixels`: decoding it would take more memory or time than an honest picture does.
 * - `unsupported`: a known format that cannot be decoded here (HEIC).
 * - `busy`: too many images wait already; try again later.
 * - `timeout`: decoding took too long.
 */
export type ImageErrorCode = 'corrupt' | 'tooManyPixels' | 'unsupported' | 'busy' | 'timeout'

const imageErrors = errorKind<ImageErrorCode>('ImageError')
export const imageError = imageErrors.make
/** Whether a caught value is an `ImageError`, with its `code`. */
export const isImageError: (value: unknown) => value is TypedError<ImageErrorCode> = imageErrors.is

/** Translates what the decoder throws; it only distinguishes its errors by their text. */
export function toImageError(error: unknown): Error {
  if (imageErrors.is(error)) return error
  if (isQueueFull(error)) return imageError('busy', 'too many images wait to be processed', error)
  const text = error instanceof Error ? error.message : String(error)
  if (/pixel limit|too large/i.test(text))
    return imageError('tooManyPixels', 'the image has too many pixels', error)
  if (/^timeout/.test(text)) return imageError('timeout', 'the image took too long to decode', error)
  if (/not been built in|unsupported/i.test(text))
    return imageError('unsupported', 'this format cannot be decoded', error)
  return imageError('corrupt', 'the image cannot be decoded', error)
}
