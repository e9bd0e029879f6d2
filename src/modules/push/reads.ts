/** Tables of other slices that the stores here read. */
export const reads = [
  'users',
  'userBlocks',
  'sessions',
  'posts',
  'comments',
  'communities',
  'communityMembers',
  'channels',
  'channelMembers',
  'messages',
  'messageFeedMarks',
  'devices',
  'notificationSettings',
  'follows',
  'stories',
  'videoStreams',
] as const
