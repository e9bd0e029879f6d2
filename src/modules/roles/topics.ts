// Cache topics of rows that carry the permissions of roles, by internal user id: a change of a role forgets them all.

/** Users' rows. */
export const userRowTopic = 'users'
/** Signed-in viewers. */
export const viewerTopic = 'viewer'
/** Roles' rows, by name. */
export const roleRowTopic = 'roles'
