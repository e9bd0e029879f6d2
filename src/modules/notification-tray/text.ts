import type { NoticeKind } from '../notices/index.ts'
import type { ItemRow } from './list-store.ts'

/** A piece of a sentence: words, or something the clients print in bold, with what stands for it in the template. */
type Piece = string | { shown: string; template: string }

const acted: Record<NoticeKind, (item: ItemRow) => Piece[]> = {
  post: (item) => [' posted in ', communityOf(item), '.'],
  poll: (item) => [' created a poll in ', communityOf(item), '.'],
  live_stream: (item) => [' shared a live stream in ', communityOf(item), '.'],
  comment: () => [' commented on your post.'],
  reply: () => [' replied to your comment.'],
  mention_in_post: () => [' mentioned you in a post.'],
  mention_in_poll: () => [' mentioned you in a poll.'],
  mention_in_comment: () => [' mentioned you in a comment.'],
  mention_in_reply: () => [' mentioned you in a reply.'],
  reaction_on_post: () => [' reacted to your post.'],
  reaction_on_comment: () => [' reacted to your comment.'],
  reaction_on_reply: () => [' reacted to your reply.'],
  join_request: (item) => [' requested to join ', communityOf(item), '.'],
  respond_on_join_request: (item) => [
    item.joinStatus === 'approved' ? ' approved your request to join ' : ' declined your request to join ',
    communityOf(item),
    '.',
  ],
  follow: () => [' started following you.'],
  follow_request: () => [' requested to follow you.'],
  follow_accepted: () => [' accepted your follow request.'],
  event_created: (item) => [` created the event ${item.title} in `, communityOf(item), '.'],
  event_reminder: (item) => [`’s event ${item.title} starts soon.`],
  event_started: (item) => [` has started the event ${item.title}.`],
  room_cohost_invite: (item) => [` invited you to co-host ${item.title}.`],
}

/**
 * The sentence of an item, and its template: the same with `{{ userId: … }}`, `{{ communityId: … }}` and
 * `{{ n others }}` for the bold parts. Clients find those by comparing the two.
 */
export function describeItem(item: ItemRow): { text: string; templatedText: string } {
  const pieces = [...actorsOf(item), ...acted[item.kind](item)]
  return {
    text: pieces.map((piece) => (typeof piece === 'string' ? piece : piece.shown)).join(''),
    templatedText: pieces.map((piece) => (typeof piece === 'string' ? piece : piece.template)).join(''),
  }
}

/** "Ann", "Ann and Bob", "Ann and 2 others". */
function actorsOf({ actors, actorsCount }: ItemRow): Piece[] {
  const [first, second] = actors.map(({ id, publicId, displayName }) => ({
    shown: displayName || publicId,
    template: `{{ userId: ${id} }}`,
  }))
  if (!first) return []
  if (!second) return [first]
  if (actorsCount === 2) return [first, ' and ', second]
  const others = `${actorsCount - 1} others`
  return [first, ' and ', { shown: others, template: `{{ ${others} }}` }]
}

function communityOf({ communityName, targetId }: ItemRow): Piece {
  return { shown: communityName ?? 'a community', template: `{{ communityId: ${targetId} }}` }
}
