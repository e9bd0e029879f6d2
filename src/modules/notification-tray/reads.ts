/** Tables of other slices that the stores here read. */
export const reads = [
  'users',
  'userBlocks',
  'posts',
  'comments',
  'reactions',
  'follows',
  'communities',
  'communityMembers',
  'communityJoinRequests',
  'events',
  'eventResponses',
  'rooms',
  'invitations',
] as const
