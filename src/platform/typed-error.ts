/** An error of one named kind whose `code` a caller can switch on. */
export type TypedError<Code extends string> = Error & { readonly code: Code }

type ErrorKind<Code extends string> = {
  /** Makes an error of this kind; `cause` keeps the original for the log. */
  make(code: Code, message: string, cause?: unknown): TypedError<Code>
  /** Whether a caught value is an error of this kind. */
  is(value: unknown): value is TypedError<Code>
}

/** Defines one kind of typed error, so that each platform part can name what can go wrong in it. */
export function errorKind<Code extends string>(name: string): ErrorKind<Code> {
  return {
    make(code, message, cause) {
      const error = new Error(message, cause === undefined ? undefined : { cause })
      return Object.assign(error, { name, code })
    },
    is(value): value is TypedError<Code> {
      return value instanceof Error && value.name === name && 'code' in value
    },
  }
}

/** The `code` of a caught system or typed error, '' if it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
