/** Streams show public ids of people and of their live channel, and are as open as the community they are posted in. */
export const reads = ['users', 'channels', 'channelMembers', 'communities'] as const
