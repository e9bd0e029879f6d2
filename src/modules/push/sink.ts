import { inTransaction, type Db } from '../../kernel/database.ts'
import type { DispatchedEvent, Sink } from '../../kernel/outbox/dispatcher.ts'
import { readTemplates } from '../notification-settings/index.ts'
import { chatPushes } from './chat.ts'
import { hasDevices } from './facts-store.ts'
import { socialPushes } from './social.ts'
import { deleteNoticesOf, insertNotices } from './store.ts'

const deletions = ['message.deleted', 'post.deleted', 'comment.deleted', 'story.deleted']

/**
 * Notes what is to be pushed: one row for each thing, whomever it goes to; a worker spreads it over devices. `nudge`
 * wakes that worker.
 */
export function createPushSink(db: Db, nudge: () => void): Sink {
  return {
    name: 'push',
    async take(events) {
      if (!(await hasDevices(db))) return
      const templates = await readTemplates(db)
      const pushes = await Promise.all([
        chatPushes(db, events, templates),
        socialPushes(db, events, templates),
      ])
      const notices = pushes.flat().filter(({ isOn }) => isOn)
      const gone = goneIn(events)
      if (notices.length === 0 && gone.length === 0) return
      await inTransaction(db, async (tx) => {
        if (notices.length > 0) await insertNotices(tx, notices)
        if (gone.length > 0) await deleteNoticesOf(tx, gone)
      })
      nudge()
    },
  }
}

// Whoever takes something back wants it on no more screens.
function goneIn(events: DispatchedEvent[]): string[] {
  return events
    .filter(({ name }) => deletions.includes(name))
    .map(({ subject }) => (subject as { id: string }).id)
}
