import { Type } from 'typebox'
import type { Tx } from '../../kernel/database.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { FlagBody } from '../flags/index.ts'
import { createStory, deleteStory } from './actions.ts'
import { clearStoryFlags, flagStory, unflagStory } from './flagging.ts'
import { placeId } from './place.ts'
import { findPlaces } from './places.ts'
import { countStories, listGlobalTargets, listStories, listStoriesByTargets } from './queries.ts'
import { newStoryShape, storyShape, targetShape } from './resource.ts'
import {
  AskedTarget,
  CreateStoryBody,
  DeleteStoryQuery,
  GlobalTargetsQuery,
  ListByTargetsQuery,
  ListStoriesQuery,
  StoryIdParams,
  TargetsQuery,
} from './schema.ts'

const tag = 'Story'
const params = StoryIdParams
const answers = storyShape
const path = '/api/v4/stories/:storyId'

export function storyRoutes(routes: Routes): void {
  listRoutes(routes)
  singleRoutes(routes)
  flagRoutes(routes)
}

function listRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v4/stories',
    { summary: 'Query the stories of a place', tag, query: ListStoriesQuery, answers, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await listStories(db, viewer, query)
      return { roots: { stories: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v4/stories-by-targets',
    { summary: 'Query the stories of some places', tag, query: ListByTargetsQuery, answers, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await listStoriesByTargets(db, viewer, query)
      return { roots: { stories: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    '/api/v4/stories/count',
    {
      summary: 'Count the stories of a place',
      tag,
      query: AskedTarget,
      answers: { schema: Type.Object({ count: Type.Integer() }) },
    },
    async (db, { viewer, query }) => ({ body: { count: await countStories(db, viewer, query) } }),
  )
  read(
    'GET',
    '/api/v4/stories/seen',
    { summary: 'How far one has come at some places', tag, query: TargetsQuery, answers: targetShape },
    async (db, { viewer, query }) => ({
      roots: { storyTargets: (await findPlaces(db, viewer, query.targets)).map(placeId) },
    }),
  )
  read(
    'GET',
    '/api/v5/me/global-story-targets',
    {
      summary: 'Query the places with stories that one follows',
      tag,
      query: GlobalTargetsQuery,
      answers: targetShape,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await listGlobalTargets(db, viewer, query)
      return { roots: { storyTargets: rows.map(placeId) }, paging }
    },
  )
}

function singleRoutes({ read, write }: Routes): void {
  write(
    'POST',
    '/api/v4/stories',
    { summary: 'Create a story', tag, body: CreateStoryBody, answers: newStoryShape },
    async (tx, { viewer, body }) => ({ roots: { stories: [await createStory(tx, viewer, body)] } }),
  )
  read(
    'GET',
    path,
    { summary: 'Get a story', tag, params, answers },
    async (_db, { params: { storyId } }) => ({
      roots: { stories: [storyId] },
      required: 'stories',
    }),
  )
  write(
    'DELETE',
    path,
    { summary: 'Delete a story', tag, params, query: DeleteStoryQuery, answers: { schema: Success } },
    async (tx, { viewer, params: { storyId }, query }) => {
      await deleteStory(tx, viewer, storyId, query)
      return { body: { success: true } }
    },
  )
}

function flagRoutes({ write }: Routes): void {
  write(
    'POST',
    `${path}/flags`,
    { summary: 'Flag a story', tag, params, body: FlagBody, answers },
    async (tx, { viewer, params: { storyId }, body }) => {
      await flagStory(tx, viewer, storyId, body)
      return { roots: { stories: [storyId] } }
    },
  )
  const removals: [string, string, (tx: Tx, viewer: Viewer, id: string) => Promise<void>][] = [
    ['/flags', "Take back one's flag of a story", unflagStory],
    ['/flags/all', "Take back everyone's flags of a story", clearStoryFlags],
  ]
  for (const [rest, summary, remove] of removals) {
    write(
      'DELETE',
      `${path}${rest}`,
      { summary, tag, params, answers },
      async (tx, { viewer, params: { storyId } }) => {
        await remove(tx, viewer, storyId)
        return { roots: { stories: [storyId] } }
      },
    )
  }
}
