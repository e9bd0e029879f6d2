import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** An event that is about to get a live stream of its own. */
export interface StagedEvent {
  title: string
  description: string
  coverImageFileId: string | null
  discussionCommunityId: string
}

/** What the composition root decides about events. */
export interface EventOptions {
  /** How long before an event starts people are reminded of it, in ms; 0 for never. */
  reminderMs: number
  /** Without it virtual events are held elsewhere. */
  openLivestream?: OpenLivestream
}

/**
 * Makes the live stream of a virtual event that is held on this server, and the post that shows it in the event's
 * discussion; answers the post's id. Handed in by the composition root, so that events know nothing of streams.
 */
export type OpenLivestream = (tx: Tx, viewer: Viewer, event: StagedEvent) => Promise<string>
