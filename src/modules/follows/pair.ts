/** A relation from one user to another, by internal ids. It has a direction. */
export interface Pair {
  from: string
  to: string
}

/** The id of a relation in envelopes. */
export function pairId({ from, to }: Pair): string {
  return `${from}:${to}`
}

export function parsePairId(id: string): Pair {
  const [from = '', to = ''] = id.split(':')
  return { from, to }
}
