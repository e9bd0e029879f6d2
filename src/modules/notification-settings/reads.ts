/** Tables of other slices that the store here reads. */
export const reads = ['channels', 'communities'] as const
