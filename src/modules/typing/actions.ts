import { lru } from 'tiny-lru'
import { now } from '../../platform/clock.ts'
import { broadcast } from '../../kernel/broadcast.ts'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { iso } from '../../kernel/schema.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import { canWriteMessages, findChannel, findChannelId, may } from '../channels/index.ts'
import { requireReadableFeed } from '../message-feeds/index.ts'
import { messageTyping } from './events.ts'
import type { TypingBody } from './schema.ts'

/** How long clients show it, and how soon it may be said again, in ms. */
const holdsMs = 6_000
const pauseMs = 1_000
const remembered = 20_000

/** Tells the others in a channel that somebody types. Saying the same again at once tells nobody anything new. */
export function createTypingSignal() {
  const said = lru<{ at: number; isTyping: boolean }>(remembered)
  return async (db: Db, viewer: Viewer, { channelId, messageFeedId, isTyping = true }: TypingBody) => {
    const at = now()
    const place = messageFeedId ?? channelId ?? fail('invalid', 'body/messageFeedId or body/channelId')
    const key = `${viewer.id} ${place}`
    const last = said.get(key)
    if (last?.isTyping === isTyping && at.getTime() - last.at < pauseMs) return
    const { feed, channel } = await requireWritableFeed(
      db,
      viewer,
      messageFeedId ?? (await findDefault(db, place)),
    )
    said.set(key, { at: at.getTime(), isTyping })
    broadcast(db, messageTyping, {
      actorId: viewer.id,
      subject: {
        channelId: channel.id,
        channelPublicId: channel.channelId,
        channelType: channel.type,
        messageFeedId: feed.id,
        userId: viewer.id,
        userPublicId: viewer.userId,
        isTyping,
        expiresAt: iso(new Date(at.getTime() + (isTyping ? holdsMs : 0))),
      },
    })
  }
}

/** A channel's default feed has the channel's own internal id. */
async function findDefault(db: Db, channelId: string): Promise<string> {
  const channel = await findChannel(db, channelId)
  return channel?.id ?? (await findChannelId(db, channelId)) ?? fail('notFound', 'channel')
}

/** Who may write may be seen writing. */
async function requireWritableFeed(db: Db, viewer: Viewer, messageFeedId: string) {
  const { feed, channel, member } = await requireReadableFeed(db, viewer, messageFeedId)
  if (feed.isDeleted || channel.isDeleted) fail('notFound', 'message feed')
  if (channel.isClosed) fail('forbidden', 'the channel is closed')
  if (!canWriteMessages(viewer, channel, member)) fail('notAMember')
  if (member?.isMuted) fail('userMuted')
  if (channel.isMuted && !may('MUTE_CHANNEL', viewer, member)) fail('channelMuted')
  return { feed, channel }
}
