import type { MediaTag } from './flv/tag.ts'

/** The tags since the newest keyframe, so that a player who joins has a picture at once. */
export type GopCache = {
  add(tag: MediaTag): void
  tags(): readonly MediaTag[]
  keyframe(): MediaTag | null
  clear(): void
}

/** A cache of at most `maxBytes`; a longer group of pictures is given up and joiners wait for a keyframe. */
export function createGopCache(maxBytes: number): GopCache {
  let tags: MediaTag[] = []
  let bytes = 0
  let keyframe: MediaTag | null = null

  function clear(): void {
    tags = []
    bytes = 0
  }

  return {
    add(tag) {
      if (tag.key) {
        clear()
        keyframe = tag
      } else if (tags.length === 0) return
      tags.push(tag)
      bytes += tag.bytes.length
      if (bytes > maxBytes) clear()
    },
    tags: () => tags,
    keyframe: () => keyframe,
    clear,
  }
}
