/** Tables of other slices that this slice's queries join. */
export const reads = ['channelMembers', 'users'] as const
