/** Stories show public ids of people; places with stories are found by who is a member where and follows whom. */
export const reads = ['users', 'communities', 'communityMembers', 'follows'] as const
