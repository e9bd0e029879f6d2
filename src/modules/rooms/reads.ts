/** Tables of other slices that this one reads in its own statements. */
export const reads = ['users', 'channels', 'channelMembers'] as const
