/** Tables of other slices that this slice's store joins. */
export const reads = ['users'] as const
