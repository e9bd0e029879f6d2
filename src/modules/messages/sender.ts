import { lru } from 'tiny-lru'
import { createGroupCommit } from '../../platform/group-commit.ts'
import { inTransaction, type Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findChannelId } from '../channels/index.ts'
import { findFeedPlaces } from '../message-feeds/index.ts'
import { ChannelBusyError, sendMessages, type Sent } from './send.ts'
import type { Send } from './send-situation.ts'

/** Where a message goes: the default feed of a channel by its public id, or a feed. */
export type Destination = { channelId: string } | { messageFeedId: string }

/** Where that is, by internal ids. */
export interface Place {
  channelId: string
  messageFeedId: string
}

/** Sends messages, grouping those that wait for the same channel into one transaction. */
export interface Sender {
  locate(destination: Destination): Promise<Place>
  send(message: Send): Promise<Sent>
}

// Enough for one batch to be written while the next is put together, in more than one channel.
const lanes = 2
const maxBatch = 200
const remembered = 10_000

export function createSender(db: Db): Sender {
  const groupBy = (skipLocked: boolean) =>
    createGroupCommit<Send, Sent>({
      lanes,
      maxBatch,
      run: (sends) => inTransaction(db, (tx) => sendMessages(tx, sends, { skipLocked })),
    })
  // A lane serves many channels. One that is locked for long (a ban takes back what someone said) must not hold up
  // the others, so its messages go to lanes that wait.
  const promptly = groupBy(true)
  const patiently = groupBy(false)
  // Which channel a public id or a feed stands for never changes.
  const places = lru<Place>(remembered)
  return {
    async locate(destination) {
      const key = 'channelId' in destination ? `c ${destination.channelId}` : `f ${destination.messageFeedId}`
      const known = places.get(key)
      if (known) return known
      const place = await findPlace(db, destination)
      places.set(key, place)
      return place
    },
    send: (message) =>
      promptly(message.channelId, message).catch((error: unknown) => {
        if (error instanceof ChannelBusyError) return patiently(message.channelId, message)
        throw error
      }),
  }
}

async function findPlace(
  db: Db,
  destination: Destination,
): Promise<{ channelId: string; messageFeedId: string }> {
  if ('channelId' in destination) {
    const id = (await findChannelId(db, destination.channelId)) ?? fail('notFound', 'channel')
    return { channelId: id, messageFeedId: id }
  }
  const [feed] = await findFeedPlaces(db, [destination.messageFeedId])
  return feed ? { channelId: feed.channelId, messageFeedId: feed.id } : fail('notFound', 'message feed')
}
