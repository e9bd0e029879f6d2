import type { FastifyError } from 'fastify'
import type { ErrorReply } from '../../platform/http/server.ts'
import { MalformedBodyError, UnstorableTextError } from '../../platform/http/json-body.ts'
import { ServerClosingError } from '../../platform/http/closing.ts'
import { ApiError, isAway, toApiError, type ErrorEnvelope } from '../errors.ts'

/** Any error as the reply of the catalogue: ours, the parsers', the validator's, the database's. */
export function toErrorReply(error: unknown): ErrorReply<ErrorEnvelope> & { known: boolean } {
  const known = classify(error) ?? toApiError(error)
  return {
    status: known.status,
    body: known.toEnvelope(),
    retryAfter: known.retryAfter,
    known: known.reason !== 'unexpected' && !isAway(error),
  }
}

function classify(error: unknown): ApiError | null {
  if (error instanceof MalformedBodyError) return new ApiError('malformedBody', [error.message])
  if (error instanceof ServerClosingError) return new ApiError('unavailable', ['the server is stopping'])
  if (error instanceof UnstorableTextError) return new ApiError('invalid', [error.message])
  const { validation, validationContext, statusCode, message } = error as FastifyError
  if (validation) {
    const detail = validation.map(
      (problem) => `${validationContext}${problem.instancePath} ${problem.message ?? ''}`,
    )
    return new ApiError('invalid', detail)
  }
  if (statusCode === 413) return new ApiError('tooLarge', [])
  if (statusCode === 415) return new ApiError('unsupportedMediaType', [])
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('badRequest', [message])
  return null
}
