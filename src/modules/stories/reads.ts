/**
 * Stories show public ids of people and their newest comments; places with stories are found by who is a member where
 * and follows whom, without those who blocked one another.
 */
export const reads = [
  'users',
  'communities',
  'communityMembers',
  'follows',
  'userBlocks',
  'comments',
] as const
