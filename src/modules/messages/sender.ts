import { lru } from 'tiny-lru'
import { createGroupCommit } from '../../platform/group-commit.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findChannelId } from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'
import { sendMessages, type Send, type Sent } from './send.ts'

/** Where a message goes: the default feed of a channel by its public id, or a feed. */
export type Destination = { channelId: string } | { messageFeedId: string }

/** Sends messages, grouping those that wait for the same channel into one transaction. */
export interface Sender {
  locate(destination: Destination): Promise<{ channelId: string; messageFeedId: string }>
  send(message: Send): Promise<Sent>
}

// More lanes than the database has free cores only make it switch; see docs/benchmarks.md.
const lanes = 4
const maxBatch = 200
const remembered = 10_000

export function createSender(db: Db): Sender {
  const send = createGroupCommit<Send, Sent>({
    lanes,
    maxBatch,
    run: (sends) => inTransaction(db, (tx) => sendMessages(tx, sends)),
  })
  // Which channel a public id or a feed stands for never changes.
  const places = lru<{ channelId: string; messageFeedId: string }>(remembered)
  return {
    async locate(destination) {
      const key = 'channelId' in destination ? `c ${destination.channelId}` : `f ${destination.messageFeedId}`
      const known = places.get(key)
      if (known) return known
      const place = await findPlace(db, destination)
      places.set(key, place)
      return place
    },
    send: (message) => send(message.channelId, message),
  }
}

async function findPlace(db: Db, destination: Destination): Promise<{ channelId: string; messageFeedId: string }> {
  if ('channelId' in destination) {
    const id = (await findChannelId(db, destination.channelId)) ?? fail('notFound', 'channel')
    return { channelId: id, messageFeedId: id }
  }
  const [feed] = await findFeedPlaces(db, [destination.messageFeedId])
  return feed ? { channelId: feed.channelId, messageFeedId: feed.id } : fail('notFound', 'message feed')
}
