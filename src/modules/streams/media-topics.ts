import type { Tx } from '../../kernel/database.ts'
import { forget } from '../../kernel/invalidation.ts'

// What every server is told of live media, by its name in the engine.
export const endedTopic = 'live-ended'
export const audienceTopic = 'live-audience'

/** Once `tx` has committed, the encoder of this name and its players are sent away, on whichever server they are. */
export const stopMedia = (tx: Tx, name: string): Promise<void> => forget(tx, endedTopic, name)

/** Once `tx` has committed, every server asks again who of those that watch this name still may. */
export const recheckAudience = (tx: Tx, name: string): Promise<void> => forget(tx, audienceTopic, name)
