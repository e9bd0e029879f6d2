import type { TSchema } from 'typebox'

/**
 * Keeps the members of a body that its schema names. Clients send members that an operation does not know, which is
 * no error; but a handler that passes on what is left of a body would store a member with the name of a column.
 * Schemas without named members (records, unions) keep everything.
 */
export function namedMembers(schema: TSchema | undefined): (body: unknown) => unknown {
  const names = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
  if (names.length === 0 || (schema as { patternProperties?: object }).patternProperties)
    return (body) => body
  return (body) => {
    if (typeof body !== 'object' || body === null) return body
    const kept: Record<string, unknown> = {}
    for (const name of names)
      if (Object.hasOwn(body, name)) kept[name] = (body as Record<string, unknown>)[name]
    return kept
  }
}
