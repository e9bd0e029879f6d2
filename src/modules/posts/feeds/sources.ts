/** Whose posts a feed draws from. Ids are internal. */
export interface Sources {
  /** Targets or feeds or people or hashtags, as its lanes say. */
  keys?: string[]
  /** Everyone the viewer follows. */
  following?: boolean
  /** Every community the viewer is a member of. */
  communities?: boolean
}
