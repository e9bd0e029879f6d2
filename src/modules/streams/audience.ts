import type { Db } from '../../kernel/database.ts'
import { paths, type Audience } from '../../kernel/paths.ts'
import { isOpen } from './policy.ts'
import { arePagesPrivate } from '../places/index.ts'
import type { StreamRow } from './store.ts'

/**
 * Who hears of a stream: everyone, if everyone may watch it. Of one in a closed place those who listen to the post, and
 * its maker, wherever they are.
 */
export async function audiencesOf(
  db: Db,
  stream: Pick<StreamRow, 'userId' | 'isSecure' | 'postId' | 'targetType' | 'targetId' | 'isCommunityOpen'>,
): Promise<Audience[]> {
  const { userId, postId, targetType, targetId } = stream
  if (targetType === null || targetId === null || postId === null) return [paths.videoStreaming]
  if (isOpen(stream, await arePagesPrivate(db))) return [paths.videoStreaming]
  return [paths.post(targetType, targetId, postId), paths.smartFeed(userId, 'messages')]
}
