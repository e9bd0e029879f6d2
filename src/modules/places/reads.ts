/** A place is as readable as its community to its members, or as its page to its followers. */
export const reads = ['communities', 'communityMembers', 'follows'] as const
