/** What the events of posts are about. */
export interface PostSubject {
  id: string
  targetType: string
  targetId: string
  /** Internal ids of the only ones who hear of it: of what is not published, its author and its reviewers. */
  to?: string[]
  /** Keys beside the envelope: who reacted, who flagged. */
  extra?: Record<string, unknown>
}
