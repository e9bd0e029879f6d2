import { Type, type Static } from 'typebox'
import { Timestamp } from '../../kernel/schema.ts'

/** When the viewer last looked at the tray, and when something last came into it: the tray is new while that is later. */
export const TraySeen = Type.Object({ lastTraySeenAt: Timestamp, lastTrayOccurredAt: Timestamp })
export type TraySeen = Static<typeof TraySeen>

export const MarkTraySeenBody = Type.Object({ lastSeenAt: Timestamp })
export const TrayMarked = Type.Object({ lastSeenAt: Timestamp })
