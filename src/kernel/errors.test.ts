import { describe, expect, it } from 'vitest'
import { ApiError, fail, toApiError } from './errors.ts'
import { toErrorReply } from './http/error-reply.ts'
import { MalformedBodyError } from '../platform/http/json-body.ts'

describe('the error catalogue', () => {
  it('turns a failure into the envelope the clients read', () => {
    expect(toErrorReply(new ApiError('notFound', ['post']))).toEqual({
      status: 404,
      known: true,
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

  it('keeps the first failure as it is', () => {
    const error = new ApiError('banned', [])
    expect(toApiError(error)).toBe(error)
    expect(() => fail('banned')).toThrow(ApiError)
  })
})
