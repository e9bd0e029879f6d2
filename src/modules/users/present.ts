import { iso } from '../../kernel/schema.ts'
import { paths } from '../../kernel/paths.ts'
import type { User, UserShort } from './schema.ts'
import type { UserRow } from './store.ts'

export function presentUserShort(row: UserRow): UserShort {
  return {
    _id: row.id,
    userId: row.userId,
    path: paths.user(row.id),
    displayName: row.displayName,
    roles: row.roles,
    flagCount: row.flagCount,
    hashFlag: null,
    metadata: row.metadata as UserShort['metadata'],
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

// Spelt out rather than spread from the short form: every answer shows people, and the copy took ten times as long.
export function presentUser(row: UserRow): User {
  return {
    _id: row.id,
    userId: row.userId,
    path: paths.user(row.id),
    displayName: row.displayName,
    roles: row.roles,
    flagCount: row.flagCount,
    hashFlag: null,
    metadata: row.metadata as User['metadata'],
    isDeleted: row.isDeleted,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    userInternalId: row.id,
    userPublicId: row.userId,
    profileHandle: row.profileHandle,
    description: row.description,
    avatarFileId: row.avatarFileId,
    avatarCustomUrl: row.avatarCustomUrl,
    permissions: row.permissions,
    tags: row.tags,
    isGlobalBan: row.isGlobalBan,
    isBrand: row.isBrand,
    deletedAt: iso(row.deletedAt),
  }
}
