import { sql, type Insertable, type Updateable } from 'kysely'
import type { DB, Json } from '../../../db/tables.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Cursor } from '../../kernel/paging.ts'
import { anyOf } from '../../platform/database/any-of.ts'
import { keysetPage } from '../../platform/database/keyset.ts'
import { newestComments } from '../comments/index.ts'
import { isBlockBetween } from '../follows/index.ts'
import type { Place } from './place.ts'

export interface StoryRow {
  id: string
  creatorId: string
  creatorPublicId: string
  referenceId: string
  targetType: string
  targetId: string
  targetPublicId: string
  dataType: string
  data: Json
  items: Json
  metadata: Json
  reactions: Json
  reactionsCount: number
  commentsCount: number
  /** The newest comments at its top, newest first: internal and public ids. */
  commentIds: string[]
  commentPublicIds: string[]
  flagCount: number
  flaggedCommentsCount: number
  hashFlag: Json | null
  impression: number
  reach: number
  isDeleted: boolean
  isErased: boolean
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
}

/** Stories by id, also deleted and expired ones; one that was erased keeps an empty row for its event. */
export async function findStoriesById(db: Db, ids: string[]): Promise<StoryRow[]> {
  return selectStories(db).where('stories.id', '=', anyOf(ids)).execute()
}

/** One story, locked against changes by others until the transaction ends. */
export async function lockStory(tx: Tx, id: string): Promise<StoryRow | undefined> {
  return selectStories(tx).where('stories.id', '=', id).forNoKeyUpdate('stories').executeTakeFirst()
}

/** A story by its creator's own name for it. */
export async function findStoryByReference(
  db: Db,
  creatorId: string,
  referenceId: string,
): Promise<{ id: string; isDeleted: boolean } | undefined> {
  return db
    .selectFrom('stories')
    .select(['id', 'isDeleted'])
    .where('creatorId', '=', creatorId)
    .where('referenceId', '=', referenceId)
    .executeTakeFirst()
}

/** Some of the stories somebody made: those not deleted, or those of which anything is left. */
export async function findStoryIdsBy(
  db: Db,
  creatorId: string,
  which: 'living' | 'notErased',
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('stories')
    .select('id')
    .where('creatorId', '=', creatorId)
    .where(which === 'living' ? 'isDeleted' : 'isErased', '=', false)
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

export async function insertStory(tx: Tx, story: Insertable<DB['stories']>): Promise<void> {
  await tx.insertInto('stories').values(story).execute()
}

export async function updateStory(tx: Tx, id: string, changes: Updateable<DB['stories']>): Promise<void> {
  await tx.updateTable('stories').set(changes).where('id', '=', id).execute()
}

/** Takes out of a story all that anybody wrote. */
export async function eraseStory(tx: Tx, id: string, at: Date): Promise<void> {
  await updateStory(tx, id, {
    isErased: true,
    data: '{}',
    items: '[]',
    metadata: '{}',
    reactions: '{}',
    reactionsCount: 0,
    commentsCount: 0,
    flaggedCommentsCount: 0,
    flagCount: 0,
    hashFlag: null,
    updatedAt: at,
  })
}

/** Adds to counters of a story. */
export async function addToStoryCounts(
  tx: Tx,
  id: string,
  { comments = 0, flaggedComments = 0 }: { comments?: number; flaggedComments?: number },
): Promise<void> {
  await tx
    .updateTable('stories')
    .set((e) => ({
      commentsCount: e('commentsCount', '+', comments),
      flaggedCommentsCount: e('flaggedCommentsCount', '+', flaggedComments),
    }))
    .where('id', '=', id)
    .execute()
}

/** Stories that were looked at: how often more, and by how many people for the first time. */
export interface ViewedStory {
  id: string
  impression: number
  reach: number
}

export async function addToStoryViews(tx: Tx, viewed: ViewedStory[]): Promise<void> {
  const ids = viewed.map(({ id }) => id)
  // In one order, so that two who look at the same stories do not wait for one another.
  await tx
    .selectFrom('stories')
    .select('id')
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  await sql`
    update stories set impression = stories.impression + viewed.impression, reach = stories.reach + viewed.reach
    from unnest(${ids}::text[], ${viewed.map((one) => one.impression)}::int[], ${viewed.map((one) => one.reach)}::int[])
      as viewed (id, impression, reach)
    where stories.id = viewed.id
  `.execute(tx)
}

export interface StoryFilter {
  places: Place[]
  /** Stories by people who blocked this user, or whom they blocked, are left out. */
  viewerId: string
  at: Date
  isExpired: boolean
  dataType?: string | undefined
}

/** A line of a stories list, with what it is sorted by. */
export interface ListedStory {
  id: string
  createdAt: Date
  updatedAt: Date
}

/** A page of the stories of some places. */
export async function queryStoryRows(
  db: Db,
  filter: StoryFilter,
  { column, order }: { column: 'createdAt' | 'updatedAt'; order: 'asc' | 'desc' },
  cursor: Cursor,
): Promise<ListedStory[]> {
  const page = keysetPage(
    selectShown(db, filter).select(['id', 'createdAt', 'updatedAt']),
    cursor,
    [
      { column, type: 'time' },
      { column: 'id', type: 'text' },
    ],
    order,
  )
  return (page ?? fail('badPageToken')).execute()
}

export async function countStoryRows(db: Db, filter: StoryFilter): Promise<number> {
  const { count } = await selectShown(db, filter)
    .select((e) => e.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

function selectShown(db: Db, { places, viewerId, at, isExpired, dataType }: StoryFilter) {
  const types = places.map(({ targetType }) => targetType)
  const ids = places.map(({ targetId }) => targetId)
  const rows = db
    .selectFrom('stories')
    .where('isDeleted', '=', false)
    .where('expiresAt', isExpired ? '<=' : '>', at)
    .where(sql<boolean>`(target_type, target_id) in (select * from unnest(${types}::text[], ${ids}::text[]))`)
    .where(sql<boolean>`not ${isBlockBetween(viewerId, 'stories.creator_id')}`)
  return dataType === undefined ? rows : rows.where('dataType', '=', dataType)
}

function selectStories(db: Db) {
  return db
    .selectFrom('stories')
    .innerJoin('users as creator', 'creator.id', 'stories.creatorId')
    .leftJoin('users as target', (join) =>
      join.onRef('target.id', '=', 'stories.targetId').on('stories.targetType', '=', 'user'),
    )
    .selectAll('stories')
    .select([
      'creator.userId as creatorPublicId',
      sql<string>`coalesce(target.user_id, stories.target_id)`.as('targetPublicId'),
      newestComments('story', 'stories', 'id').as('commentIds'),
      newestComments('story', 'stories', 'comment_id').as('commentPublicIds'),
    ])
}
