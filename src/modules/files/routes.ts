import { Type } from 'typebox'
import type { ObjectStore } from '../../platform/object-store/object-store.ts'
import type { Spool } from '../../platform/object-store/spool.ts'
import { afterCommit } from '../../kernel/database.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { OneOf, Text } from '../../kernel/schema.ts'
import { requireSignedIn, type Viewer } from '../../kernel/viewer.ts'
import { deleteFile, storeUpload, updateAltText } from './actions.ts'
import { objectKeys, sendFile } from './download.ts'
import { presentFile } from './present.ts'
import { File, FileIdParams } from './schema.ts'
import { listFiles, requireReadableFile } from './queries.ts'
import type { FileRow } from './store.ts'
import { receiveUpload, type FileType } from './uploads.ts'
import { discardForm } from '../../platform/http/multipart.ts'

export interface FileEngines {
  store: ObjectStore
  spool: Spool
  /** The address clients reach the server at, without a slash at the end. */
  baseUrl: () => string
  /** Who a token stands for, where it comes in a query. */
  signIn(token: string): Promise<Viewer>
}

const tag = 'File'
const uploads: [path: string, type: FileType][] = [
  ['/api/v4/images', 'image'],
  ['/api/v4/files', 'file'],
  ['/api/v4/videos', 'video'],
  ['/api/v4/clips', 'clip'],
  ['/api/v4/audios', 'audio'],
]
const DownloadQuery = Type.Object({
  size: Type.Optional(OneOf(['full', 'large', 'medium', 'small'])),
  access_token: Type.Optional(Text(4096)),
  'upstra-access-token': Type.Optional(Text(4096)),
  t: Type.Optional(Text(4096)),
})

export function fileRoutes(
  { read, write, http, db }: Routes,
  { store, spool, baseUrl, signIn }: FileEngines,
): void {
  const present = (row: FileRow) => presentFile(row, baseUrl())
  const upload = (path: string, type: FileType, wrap: boolean) => {
    const schema = wrap ? Type.Object({ status: Type.String(), data: Type.Array(File) }) : Type.Array(File)
    read(
      'POST',
      path,
      { summary: `Upload a file of type ${type}`, tag, answers: { schema } },
      async (db, { viewer, raw }) => {
        requireSignedIn(viewer)
        const received = await receiveUpload(raw, spool, type)
        try {
          const ids = await storeUpload(db, store, viewer, type, received)
          const files = (await listFiles(db, ids)).map(present)
          return { body: wrap ? { status: 'success', data: files } : files }
        } finally {
          await discardForm(received)
        }
      },
    )
  }
  for (const [path, type] of uploads) upload(path, type, false)
  upload('/api/v3/files', 'file', true)

  read(
    'GET',
    '/api/v3/files/:fileId',
    {
      summary: 'Get a file',
      tag,
      params: FileIdParams,
      answers: { schema: Type.Object({ data: File, ...File.properties, status: Type.String() }) },
    },
    async (db, { params }) => {
      const file = present(await requireReadableFile(db, params.fileId))
      return { body: { status: 'success', data: file, ...file } }
    },
  )

  write(
    'PUT',
    '/api/v3/files/:fileId',
    {
      summary: 'Change the alt text of a file',
      tag,
      params: FileIdParams,
      body: Type.Object({ altText: Text(180) }),
      answers: { schema: File },
    },
    async (tx, { viewer, params, body }) => {
      await updateAltText(tx, viewer, params.fileId, body.altText)
      return { body: present(await requireReadableFile(tx, params.fileId)) }
    },
  )

  write(
    'DELETE',
    '/api/v3/files/:fileId',
    {
      summary: 'Delete a file',
      tag,
      params: FileIdParams,
      answers: {
        schema: Type.Object({ status: Type.String(), data: Type.Object({ fileId: Type.String() }) }),
      },
    },
    async (tx, { viewer, params }) => {
      const deleted = await deleteFile(tx, viewer, params.fileId)
      // Gone from sight with the commit; should deleting the bytes fail, only disk space is lost.
      afterCommit(tx, () => {
        for (const key of deleted.flatMap(objectKeys)) store.delete(key).catch(() => undefined)
      })
      return { body: { status: 'success', data: { fileId: params.fileId } } }
    },
  )

  // Pictures are shown by browsers that send no headers: a public file asks for no token.
  http.get(
    '/api/v3/files/:fileId/download',
    { schema: { summary: 'Download a file', tags: [tag], params: FileIdParams, querystring: DownloadQuery } },
    async (request, reply) => {
      const { fileId } = request.params as { fileId: string }
      const query = request.query as Record<string, string | undefined>
      const file = await requireReadableFile(db, fileId)
      if (file.accessType !== 'public') {
        const bearer = request.headers.authorization?.replace(/^bearer /i, '')
        await signIn(bearer ?? query.access_token ?? query['upstra-access-token'] ?? query.t ?? '')
      }
      return sendFile(request, reply, store, file, (query.size as 'full' | undefined) ?? 'full')
    },
  )
}
