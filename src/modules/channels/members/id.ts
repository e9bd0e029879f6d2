/** Memberships are named by both their keys in one string (internal ids). */
export function membershipId(channelId: string, userId: string): string {
  return `${channelId}:${userId}`
}

/** The keys in the id of a membership. */
export function splitMembershipId(id: string): { channelId: string; userId: string } {
  const [channelId = '', userId = ''] = id.split(':')
  return { channelId, userId }
}
