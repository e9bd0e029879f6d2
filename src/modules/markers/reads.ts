/** Tables of other slices that this slice's queries join. */
export const reads = ['channelMembers', 'channels', 'messageFeeds', 'messages', 'users'] as const
