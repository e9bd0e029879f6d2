import { Type } from 'typebox'
import { below } from '../../kernel/envelope/form.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import {
  createStream,
  deleteStream,
  endStream,
  revokeKey,
  updateStream,
  type DiscardMedia,
} from './actions.ts'
import { moderateStream } from './moderating.ts'
import { listStreams, requireReadableStream } from './queries.ts'
import { streamShape } from './resource.ts'
import {
  CreateStreamBody,
  ListStreamsQuery,
  ModerateBody,
  StreamIdParams,
  UpdateStreamBody,
} from './schema.ts'

const tag = 'Video streaming'
const path = '/api/v3/video-streaming'
const Deleted = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ success: Type.Boolean() }),
})

export function streamRoutes({ read, write }: Routes, discard: DiscardMedia): void {
  const one = (id: string) => ({ roots: { videoStreamings: [id] } })

  write(
    'POST',
    path,
    { summary: 'Create a video stream', tag, body: CreateStreamBody, answers: streamShape },
    async (tx, { viewer, body }) => one(await createStream(tx, viewer, body)),
  )
  read(
    'GET',
    path,
    {
      summary: 'List video streams',
      tag,
      query: ListStreamsQuery,
      answers: streamShape,
      paged: true,
      form: below('results'),
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await listStreams(db, viewer, query)
      return { roots: { videoStreamings: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    `${path}/:streamId`,
    { summary: 'Get a video stream', tag, params: StreamIdParams, answers: streamShape },
    async (db, { viewer, params }) => one((await requireReadableStream(db, viewer, params.streamId)).id),
  )
  write(
    'PUT',
    `${path}/:streamId`,
    {
      summary: 'Update a video stream',
      tag,
      params: StreamIdParams,
      body: UpdateStreamBody,
      answers: streamShape,
    },
    async (tx, { viewer, params: { streamId }, body }) => {
      await updateStream(tx, viewer, streamId, body)
      return one(streamId)
    },
  )
  write(
    'DELETE',
    `${path}/:streamId`,
    { summary: 'Delete a video stream', tag, params: StreamIdParams, answers: { schema: Deleted } },
    async (tx, { viewer, params }) => {
      await deleteStream(tx, discard, viewer, params.streamId)
      return { body: { status: 'success', success: true, data: { success: true } } }
    },
  )

  const endings = [
    ['DELETE', 'streaming-url', 'Revoke the address an encoder publishes to', revokeKey],
    ['POST', 'stop', 'End a video stream', endStream],
  ] as const
  for (const [method, name, summary, act] of endings)
    write(
      method,
      `${path}/:streamId/${name}`,
      { summary, tag, params: StreamIdParams, answers: streamShape },
      async (tx, { viewer, params: { streamId } }) => {
        await act(tx, viewer, streamId)
        return one(streamId)
      },
    )

  write(
    'POST',
    `${path}/:streamId/moderation`,
    {
      summary: 'Report what was found in the pictures of a stream',
      tag,
      params: StreamIdParams,
      body: ModerateBody,
      answers: streamShape,
    },
    async (tx, { viewer, params: { streamId }, body }) => {
      await moderateStream(tx, viewer, streamId, body)
      return one(streamId)
    },
  )
}
