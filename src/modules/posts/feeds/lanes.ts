/** Types of what is attached to posts, each a post of its own below its parent. */
const attachedTypes = ['image', 'video', 'file', 'audio', 'clip', 'poll', 'liveStream', 'room'] as const

/**
 * An ordered walk over posts that an index gives for nothing. A feed merges the newest of its lanes: one for each page
 * it draws from and each type it asks for.
 */
export interface Lane {
  /**
   * Whose posts: of a target, of a feed, by a person, everybody's, on any content, or those with a hashtag. All but
   * `feed` know living published posts only, and all but the last two none on content.
   */
  by: 'page' | 'feed' | 'author' | 'everywhere' | 'content' | 'hashtag'
  /** Whether posts themselves or what is attached to them. */
  level: 'post' | 'attached'
  /** Types of the posts as a whole (`mixed` among them) or of what is attached; absent for all. */
  types?: string[]
  /** Only posts on this kind of target. */
  targetType?: string
}

export interface TypeFilter {
  dataTypes?: string[] | undefined
  matchingOnlyParentPost?: boolean | undefined
  includeMixedStructure?: boolean | undefined
}

/** The lanes that together hold what a type filter asks for. */
export function lanesFor(by: Lane['by'], filter: TypeFilter): Lane[] {
  const { dataTypes, matchingOnlyParentPost = true, includeMixedStructure = false } = filter
  if (!dataTypes) {
    const posts: Lane = { by, level: 'post' }
    return matchingOnlyParentPost ? [posts] : [posts, { by, level: 'attached', types: [...attachedTypes] }]
  }
  const asked = [...new Set(dataTypes)]
  const whole = { by, level: 'post' } as const
  if (matchingOnlyParentPost) {
    return [{ ...whole, types: includeMixedStructure ? [...asked, 'mixed'] : asked }]
  }
  // A text or an app's own type is only ever a whole post; the rest only ever something attached.
  const attached = asked.filter((type) => (attachedTypes as readonly string[]).includes(type))
  const others = asked.filter((type) => !attached.includes(type))
  return [
    ...(attached.length > 0 ? [{ by, level: 'attached', types: attached } as const] : []),
    ...(others.length > 0 ? [{ ...whole, types: others }] : []),
  ]
}
