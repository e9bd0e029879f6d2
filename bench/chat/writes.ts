import type { DB } from '../../db/tables.ts'
import type { Viewer } from '../../src/kernel/viewer.ts'
import { createSender, type Place } from '../../src/modules/messages/sender.ts'
import { openDatabase } from '../../src/platform/database/database.ts'

const waiting = 128

/** Writes messages as the server does, with all its checks and events, but without HTTP. */
export async function openWrites(url: string, channelIds: string[], userId: string, text: string) {
  const db = openDatabase<DB>({ url })
  const sender = createSender(db)
  const places = await Promise.all(channelIds.map((channelId) => sender.locate({ channelId })))
  const user = await db.selectFrom('users').selectAll().where('userId', '=', userId).executeTakeFirstOrThrow()
  const viewer: Viewer = {
    id: user.id,
    userId,
    kind: 'signed-in',
    roles: user.roles,
    permissions: new Set(),
    sessionId: '',
  }
  const message = (place: Place) => ({
    ...place,
    viewer,
    messageId: null,
    referenceId: null,
    dataType: 'text' as const,
    data: { text },
    metadata: {},
    fileId: null,
    thumbnailFileId: null,
    parentId: null,
    tags: [],
    mentions: [],
  })
  return {
    /** Messages a second into the first so many channels. */
    async rate(channels: number, ms: number): Promise<number> {
      const began = performance.now()
      let count = 0
      await Promise.all(
        Array.from({ length: waiting }, async () => {
          while (performance.now() - began < ms) {
            await sender.send(message(places[Math.floor(Math.random() * channels)]!))
            count++
          }
        }),
      )
      return count / ((performance.now() - began) / 1000)
    },
    close: () => db.destroy(),
  }
}
