/** What the events of comments are about. */
export interface CommentSubject {
  id: string
  /** The comment's own topic. */
  path: string
  /** Whose entries to bring along although nothing that is left refers to them. Internal ids. */
  userIds?: string[]
  /** The comment it answers, of an answer. Internal id. */
  parentId?: string
  /** Keys beside the envelope: who reacted, who flagged; or in place of it, what was removed. */
  extra?: Record<string, unknown>
}
