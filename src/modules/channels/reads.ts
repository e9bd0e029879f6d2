/** Tables of other slices that this slice's queries join. */
export const reads = ['users', 'messages', 'networkSettings'] as const
