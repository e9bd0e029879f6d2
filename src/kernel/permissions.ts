/** Permission names as the clients and the vendor's description spell them. */
export const permissions = [
  'EDIT_USER', 'BAN_USER', 'ASSIGN_USER_ROLE', 'CREATE_ROLE', 'EDIT_ROLE', 'DELETE_ROLE',
  'EDIT_CHANNEL', 'EDIT_CHANNEL_RATELIMIT', 'MUTE_CHANNEL', 'CLOSE_CHANNEL', 'ADD_CHANNEL_USER', 'EDIT_CHANNEL_USER',
  'REMOVE_CHANNEL_USER', 'MUTE_CHANNEL_USER', 'MUTE_USER_INSIDE_CHANNEL', 'BAN_CHANNEL_USER', 'BAN_USER_FROM_CHANNEL',
  'ASSIGN_CHANNEL_USER_ROLE', 'EDIT_MESSAGE', 'DELETE_MESSAGE',
  'EDIT_COMMUNITY', 'DELETE_COMMUNITY', 'ADD_COMMUNITY_USER', 'EDIT_COMMUNITY_USER', 'REMOVE_COMMUNITY_USER',
  'MUTE_COMMUNITY_USER', 'BAN_COMMUNITY_USER', 'ASSIGN_COMMUNITY_USER_ROLE',
  'EDIT_USER_FEED_POST', 'DELETE_USER_FEED_POST', 'EDIT_USER_FEED_COMMENT', 'DELETE_USER_FEED_COMMENT',
  'EDIT_COMMUNITY_POST', 'DELETE_COMMUNITY_POST', 'PIN_COMMUNITY_POST', 'REVIEW_COMMUNITY_POST',
  'EDIT_COMMUNITY_COMMENT', 'DELETE_COMMUNITY_COMMENT',
  'CREATE_COMMUNITY_CATEGORY', 'EDIT_COMMUNITY_CATEGORY', 'DELETE_COMMUNITY_CATEGORY', 'MANAGE_COMMUNITY_STORY',
  'CREATE_PRIVILEGED_POST', 'CREATE_EVENT', 'DELETE_EVENT', 'CREATE_EVENT_WITH_LIVESTREAM', 'MANAGE_COMMUNITY_EVENTS',
] as const // prettier-ignore

export type Permission = (typeof permissions)[number]

/** Who holds permissions: the viewer (network-wide) or a membership (inside its community or channel). */
export interface PermissionHolder {
  permissions: ReadonlySet<string> | readonly string[]
}

/** Whether any of the holders has the permission. Absent holders hold nothing. */
export function can(permission: Permission, ...holders: (PermissionHolder | null | undefined)[]): boolean {
  return holders.some((holder) => {
    const held = holder?.permissions
    if (!held) return false
    return held instanceof Set ? held.has(permission) : (held as readonly string[]).includes(permission)
  })
}
