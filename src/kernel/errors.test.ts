import { describe, expect, it } from 'vitest'
import { ApiError, fail, toApiError } from './errors.ts'
import { toErrorReply } from './http/error-reply.ts'
import { MalformedBodyError } from '../platform/http/json-body.ts'

describe('the error catalogue', () => {
  it('turns a failure into the envelope the clients read', () => {
    expect(toErrorReply(new ApiError('notFound', ['post']))).toEqual({
      status: 404,
      known: true,
      retryAfter: null,
      body: {
        status: 'error',
        code: 400400,
        message: 'There is no such object.',
        data: { detail: ['post'] },
      },
    })
  })

  it('says nothing about what it does not know', () => {
    const { status, body, known } = toErrorReply(new TypeError('password=secret'))
    expect({ status, code: body.code, known }).toEqual({ status: 500, code: 500000, known: false })
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('answers 400 to a body that is not JSON', () => {
    expect(toErrorReply(new MalformedBodyError('x'))).toMatchObject({ status: 400, body: { code: 400000 } })
  })

  it('says when to come back where that helps, in whole seconds', () => {
    const pause = (error: ApiError) => toErrorReply(error).retryAfter
    expect(pause(new ApiError('rateLimited', [], 2001))).toBe(3)
    expect(pause(new ApiError('rateLimited', [], 0))).toBe(1)
    expect(pause(new ApiError('unavailable', []))).toBe(5)
    expect(pause(new ApiError('forbidden', [], 2001))).toBeNull()
  })

  it('keeps the first failure as it is', () => {
    const error = new ApiError('banned', [])
    expect(toApiError(error)).toBe(error)
    expect(() => fail('banned')).toThrow(ApiError)
  })
})
