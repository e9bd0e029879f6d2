import qs from 'qs'

/**
 * Parses a query string with nested keys (`options[limit]=10`, `ids[]=a&ids[]=b`, `targets[0][id]=x`). The clients
 * percent-encode the elements of id lists twice, so those are decoded once more.
 */
export function parseQuery(text: string): Record<string, unknown> {
  const parsed = qs.parse(text, {
    depth: 4,
    arrayLimit: 1000,
    parameterLimit: 2000,
    plainObjects: false,
    allowDots: false,
  })
  for (const [key, value] of Object.entries(parsed)) {
    if (Array.isArray(value))
      parsed[key] = value.map((item) => (typeof item === 'string' ? decodeAgain(item) : item)) as string[]
  }
  return parsed
}

function decodeAgain(value: string): string {
  if (!/%[0-9a-f]{2}/i.test(value)) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
