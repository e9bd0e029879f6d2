import { errorKind, errorCode } from '../typed-error.ts'
import type { TypedError } from '../typed-error.ts'

/**
 * - `badUrl`: not an absolute http(s) URL, with credentials, or to a port that is not allowed.
 * - `badRequest`: a method or header that may not be sent.
 * - `forbiddenAddress`: the name or literal leads to an address that may not be called.
 * - `dnsFailure`, `connectFailure`, `tlsFailure`: no name, no connection or a broken one, no trust.
 * - `timeout`: the whole exchange, from look-up to the last byte, took too long.
 * - `tooLarge`: the answer is larger than asked for.
 * - `badResponse`: what came back is not HTTP, or not in the encoding it claims.
 * - `aborted`: by the caller, or by closing the client.
 * - `busy`: too many requests wait already.
 */
export type OutboundErrorCode =
  | 'badUrl'
  | 'badRequest'
  | 'forbiddenAddress'
  | 'dnsFailure'
  | 'connectFailure'
  | 'tlsFailure'
  | 'timeout'
  | 'tooLarge'
  | 'badResponse'
  | 'aborted'
  | 'busy'

const outboundErrors = errorKind<OutboundErrorCode>('OutboundError')
export const outboundError = outboundErrors.make
/** Whether a caught value is an `OutboundError`, with its `code`. */
export const isOutboundError: (value: unknown) => value is TypedError<OutboundErrorCode> = outboundErrors.is

// By the codes of Node, OpenSSL and the HTTP client; the first match wins, a connection failure is what remains.
const kinds: [RegExp, OutboundErrorCode, string][] = [
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout', 'the other side took too long'],
  [/^UND_ERR_(CLOSED|DESTROYED|ABORTED)$/, 'aborted', 'the request was aborted'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'tooLarge', 'the response headers are too large'],
  [/^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/, 'badRequest', 'the request cannot be sent'],
  [/^HPE_|^UND_ERR_RES|^Z_|^ERR__/, 'badResponse', 'the response is malformed'],
  [
    /CERT|^ERR_(TLS|SSL)|^EPROTO$|^UNABLE_TO|^CRL_|^HOSTNAME_MISMATCH$/,
    'tlsFailure',
    'no trusted connection',
  ],
]

/** Translates what the HTTP client throws. */
export function toOutboundError(error: unknown): TypedError<OutboundErrorCode> {
  if (outboundErrors.is(error)) return error
  // The client's parser errors often come without a code.
  const code = error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_ERROR' : errorCode(error)
  if (code === 'queueFull') return outboundError('busy', 'too many requests are waiting', error)
  const [, kind, message] = kinds.find(([pattern]) => pattern.test(code)) ?? []
  if (kind !== undefined) return outboundError(kind, `${message} (${code})`, error)
  return outboundError('connectFailure', `the connection failed${code === '' ? '' : ` (${code})`}`, error)
}
