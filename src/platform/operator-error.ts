/** An error the operator can mend: the command line prints its message alone, without a stack. */
export function operatorError(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { expected: true })
}
