/**
 * Posts show public ids of people and their newest comments; feeds are read by who follows whom, who blocked whom and
 * who is a member where.
 */
export const reads = [
  'users',
  'communities',
  'communityMembers',
  'follows',
  'userBlocks',
  'comments',
] as const
