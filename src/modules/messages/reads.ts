/** Tables of other slices that this slice's queries join. */
export const reads = ['channels', 'channelMembers', 'messageFeeds', 'users'] as const
