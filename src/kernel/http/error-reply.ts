import type { FastifyError } from 'fastify'
import { MalformedBodyError, UnstorableTextError } from '../../platform/http/json-body.ts'
import { ApiError, toApiError, type ErrorEnvelope } from '../errors.ts'

/** Any error as the reply of the catalogue: ours, the parsers', the validator's, the database's. */
export function toErrorReply(error: unknown): { status: number; body: ErrorEnvelope; known: boolean } {
  const known = classify(error) ?? toApiError(error)
  return { status: known.status, body: known.toEnvelope(), known: known.reason !== 'unexpected' }
}

function classify(error: unknown): ApiError | null {
  if (error instanceof MalformedBodyError) return new ApiError('malformedBody', [error.message])
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
