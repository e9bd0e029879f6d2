import { Type, type Static } from 'typebox'
import { Text } from '../../kernel/schema.ts'

/** Where somebody types: in a feed, or in the default feed of a channel by its public or internal id. */
export const TypingBody = Type.Object({
  channelId: Type.Optional(Text(100, 1)),
  messageFeedId: Type.Optional(Text(30, 1)),
  isTyping: Type.Optional(Type.Boolean({ default: true })),
})
export type TypingBody = Static<typeof TypingBody>
