import type { Db } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { postCommentTarget } from '../posts/index.ts'
import { findUsersById, type UserRow } from '../users/index.ts'
import type { WaitingNotice } from './store.ts'

/** Of notices to single people: who may not read the post they are of. A few queries for each of these people. */
export async function findHidden(
  db: Db,
  notices: WaitingNotice[],
): Promise<{ id: string; userId: string }[]> {
  const asked = new Map<string, WaitingNotice[]>()
  for (const notice of notices) {
    if (notice.postId === null) continue
    for (const userId of notice.userIds) asked.set(userId, [...(asked.get(userId) ?? []), notice])
  }
  const people = await findUsersById(db, [...asked.keys()])
  const hidden: { id: string; userId: string }[] = []
  for (const user of people) {
    const own = asked.get(user.id)!
    const readable = await postCommentTarget.findReadable(
      db,
      asViewer(user),
      own.map(({ postId }) => postId!),
    )
    for (const { id, postId } of own) if (!readable.has(postId!)) hidden.push({ id, userId: user.id })
  }
  return hidden
}

function asViewer({ id, userId, kind, roles, permissions }: UserRow): Viewer {
  return {
    id,
    userId,
    kind: kind as Viewer['kind'],
    roles,
    permissions: new Set(permissions),
    sessionId: '',
  }
}
