/** Posts show public ids of people; feeds are read by who follows whom, who blocked whom and who is a member where. */
export const reads = ['users', 'communities', 'communityMembers', 'follows', 'userBlocks'] as const
