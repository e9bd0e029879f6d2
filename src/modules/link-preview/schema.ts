import { Type, type Static } from 'typebox'
import { Text } from '../../kernel/schema.ts'

/** Longest address that is looked at, in characters. */
export const maxUrlLength = 2000

export const LinkPreviewQuery = Type.Object({ url: Text(maxUrlLength, 1) })

const OrNull = Type.Union([Type.String(), Type.Null()])

/** What a page says about itself. Clients read the picture as `image` or as `imageUrl`. */
export const LinkPreview = Type.Object({
  title: OrNull,
  description: OrNull,
  image: OrNull,
  imageUrl: OrNull,
  video: OrNull,
  domain: OrNull,
})
export type LinkPreview = Static<typeof LinkPreview>
