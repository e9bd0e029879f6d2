/** Tables of other slices that the stores here read. */
export const reads = ['posts', 'comments', 'communities', 'communityMembers', 'events'] as const
