import type { Tx } from '../../kernel/database.ts'
import type { Viewer } from '../../kernel/viewer.ts'

/** Data types of attachments that carry no file but point at an object of another resource, and how they name it. */
export const referenceKeys = { poll: 'pollId', liveStream: 'streamId', room: 'roomId' } as const
export type ReferenceType = keyof typeof referenceKeys

/** Where an object was posted: all ids are internal. */
export interface PostedAt {
  /** The post, and the child of it that stands for the object. */
  postId: string
  childId: string
  targetType: string
  targetId: string
  /** The topic of the post. */
  path: string
}

/** What else can be posted. Slices hand theirs to the composition root, so that posts know none of them. */
export interface PostReference {
  dataType: ReferenceType
  /** Fails when the object does not exist, or is not the viewer's to post. Called before a post is made of it. */
  require(tx: Tx, viewer: Viewer, id: string): Promise<void>
  /** The object was posted. */
  posted?(tx: Tx, id: string, at: PostedAt): Promise<void>
  /** A post shows this object in place of another: `require` was asked. What cannot be replaced lacks it. */
  replaced?(tx: Tx, viewer: Viewer, before: string, id: string, at: PostedAt): Promise<void>
  /** A post of such objects, or the child of one that stands for its object, was deleted. */
  unposted?(tx: Tx, viewer: Viewer, postId: string): Promise<void>
}

/** What can be posted on a server. Empty in a server without those resources: then ids are kept as they came. */
export type PostReferences = readonly PostReference[]
