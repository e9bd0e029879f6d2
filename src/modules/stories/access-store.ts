import { sql } from 'kysely'
import type { Db } from '../../kernel/database.ts'
import { placeAccess, type PlaceAccess } from '../places/index.ts'

/** What decides whether one viewer may see a story. */
export interface StoryAccess extends PlaceAccess {
  /** Null elsewhere than in a community. */
  allowCommentInStory: boolean | null
}

/** Access of one viewer to many stories, by story id. */
export async function findStoryAccess(
  db: Db,
  viewerId: string,
  storyIds: string[],
): Promise<Map<string, StoryAccess>> {
  const { columns, joins } = placeAccess(viewerId, 'creator_id')
  const { rows } = await sql<StoryAccess & { id: string }>`
    select placed.id, community.allow_comment_in_story, ${columns}
    from stories placed ${joins} where placed.id = any (${storyIds})
  `.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
