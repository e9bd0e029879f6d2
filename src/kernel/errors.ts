import { brokenConstraint, isDatabaseAway, isPostgresError } from '../platform/database/database.ts'
import { isObjectStoreError } from '../platform/object-store/object-store.ts'

// Name -> wire code, HTTP status, message. The codes are the field's; clients compare them as numbers.
// 400100 makes every client log out, so only a bad token may carry it.
const catalogue = {
  badRequest: [400000, 400, 'The request cannot be understood.'],
  malformedBody: [400000, 400, 'The body is not valid JSON.'],
  badPageToken: [400000, 400, 'The page token is not one this operation issued.'],
  invalid: [500000, 422, 'The request does not fit the schema of the operation.'],
  tooLarge: [500000, 413, 'The body is too large.'],
  unsupportedMediaType: [400000, 415, 'The content type is not supported.'],
  unauthorized: [400100, 401, 'An access token is required, and this one is missing, unknown or expired.'],
  badApiKey: [400100, 401, 'The API key is missing or unknown.'],
  badServerKey: [400300, 403, 'The server key is missing or unknown.'],
  badAuthToken: [400100, 401, 'A valid auth token is required to sign in.'],
  forbidden: [400300, 403, 'You may not do this.'],
  permissionDenied: [400301, 403, 'You lack the permission for this.'],
  notAMember: [400301, 403, 'Only members may do this.'],
  userMuted: [400302, 403, 'You are muted.'],
  channelMuted: [400303, 403, 'The channel is muted.'],
  banned: [400304, 403, 'You are banned here.'],
  tooManyMembers: [400305, 403, 'The number of members is exceeded.'],
  exemptFromBan: [400306, 403, 'This user cannot be banned.'],
  repeated: [400307, 403, 'The same content was sent too often.'],
  blockedWord: [400308, 403, 'The text holds a blocked word.'],
  blockedLink: [400309, 403, 'The text holds a link that is not allowed.'],
  rateLimited: [400311, 429, 'Too many requests.'],
  globallyBanned: [400312, 403, 'The user is banned from this network.'],
  blockedImage: [400314, 403, 'The image is not allowed.'],
  visitorQuota: [400323, 403, 'The daily quota of visitors is used up.'],
  visitorForbidden: [403999, 403, 'Visitors may not do this.'],
  botForbidden: [403998, 403, 'Bots may not do this.'],
  notFound: [400400, 404, 'There is no such object.'],
  conflict: [400900, 409, 'The object is in a state that does not allow this.'],
  duplicate: [400315, 409, 'An object with this id exists.'],
  notConfigured: [400501, 400, 'The server is not set up for this.'],
  unavailable: [500000, 503, 'The service cannot answer now.'],
  unexpected: [500000, 500, 'Something went wrong here. The request id names it in the log.'],
} as const satisfies Record<string, readonly [code: number, status: number, message: string]>

export type ErrorName = keyof typeof catalogue

/** What a failed request answers. */
export interface ErrorEnvelope {
  status: 'error'
  code: number
  message: string
  data?: { detail: string[] }
}

const usualPauseMs = 5000

/** A failure that the client is told about. Throw it with `fail`. */
export class ApiError extends Error {
  readonly reason: ErrorName
  readonly detail: string[]
  private readonly retryAfterMs: number

  /** `retryAfterMs`: when asking again makes sense, where that is known. */
  constructor(reason: ErrorName, detail: string[], retryAfterMs = usualPauseMs) {
    super(`${reason}${detail.length > 0 ? `: ${detail.join('; ')}` : ''}`)
    this.reason = reason
    this.detail = detail
    this.retryAfterMs = retryAfterMs
  }

  get status(): number {
    return catalogue[this.reason][1]
  }

  /** Seconds for `Retry-After`: every error that passes by itself (429, 503) says when to come back. */
  get retryAfter(): number | null {
    return this.status === 429 || this.status === 503
      ? Math.max(1, Math.ceil(this.retryAfterMs / 1000))
      : null
  }

  toEnvelope(): ErrorEnvelope {
    const [code, , message] = catalogue[this.reason]
    return {
      status: 'error',
      code,
      message,
      ...(this.detail.length > 0 && { data: { detail: this.detail } }),
    }
  }
}

/** Ends the request with an error of the catalogue. `detail` is shown to the client. */
export function fail(reason: ErrorName, ...detail: string[]): never {
  throw new ApiError(reason, detail)
}

/** The error of the catalogue that anything thrown stands for; unknown ones become `unexpected`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const constraint = brokenConstraint(error)
  if (constraint !== undefined) {
    const code = isPostgresError(error) ? error.code : ''
    if (code === '23505') return new ApiError('duplicate', [constraint])
    if (code === '23503') return new ApiError('notFound', [constraint])
    return new ApiError('badRequest', [constraint])
  }
  // Text PostgreSQL cannot store (class 22: a NUL, a lone surrogate, a number out of range) is the client's.
  if (isPostgresError(error) && error.code.startsWith('22')) return new ApiError('invalid', [error.message])
  if (isAway(error)) return new ApiError('unavailable', [])
  return new ApiError('unexpected', [])
}

/** Whether a thrown error means that the database or the object store cannot serve us now: the operator's to mend. */
export function isAway(error: unknown): boolean {
  if (isObjectStoreError(error)) return error.code === 'unavailable' || error.code === 'storageFull'
  return isDatabaseAway(error)
}
