/**
 * Events show public ids of people, and are as readable as the communities and pages they belong to, to people who did
 * not block one another.
 */
export const reads = ['users', 'communities', 'communityMembers', 'follows', 'userBlocks'] as const
