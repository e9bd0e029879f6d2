import type { Viewer } from '../../kernel/viewer.ts'
import type { UserRow } from './store.ts'

/** A user as a viewer: of a session, or of none where something is done in their name later. */
export function viewerOf(user: UserRow, sessionId = ''): Viewer {
  return {
    id: user.id,
    userId: user.userId,
    kind: user.kind as Viewer['kind'],
    roles: user.roles,
    permissions: new Set(user.permissions),
    sessionId,
  }
}
