/** Events show public ids of people, and are as readable as the communities and pages they belong to. */
export const reads = ['users', 'communities', 'communityMembers', 'follows'] as const
