/** Tables of other slices that the store here reads. */
export const reads = ['sessions'] as const
