/** Memberships are named by both their keys in one string (internal ids). */
export function membershipId(communityId: string, userId: string): string {
  return `${communityId}:${userId}`
}
