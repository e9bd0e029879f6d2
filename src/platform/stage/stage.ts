/** What somebody may do on a stage: send and hear, or only hear. */
export type StageRole = 'host' | 'coHost' | 'viewer'

export interface StagePerson {
  /** Internal id. Viewers may be there more than once. */
  userId: string
  name: string
  role: StageRole
}

/** What a stage server told. `userId` is null for those who only listen and leave, and for programs. */
export type StageEvent =
  | { kind: 'joined' | 'left' | 'publishing'; roomId: string; userId: string | null }
  | { kind: 'watching'; roomId: string; userId: string }
  | { kind: 'finished'; roomId: string }
  | { kind: 'mixEnded'; roomId: string; egressId: string; error: string | null }

/** A server on which several people send picture and sound to each other; it is none of ours. */
export interface Stage {
  /** Where clients connect. */
  url: string
  /** Whether it can mix what is on stage into one stream. */
  mixes: boolean
  /** Opens a stage, or leaves an open one as it is. */
  open(roomId: string): Promise<void>
  /** Sends everybody away. Harmless where there is no such stage. */
  close(roomId: string): Promise<void>
  /** What lets one person in. */
  token(roomId: string, person: StagePerson): Promise<string>
  /** Sends one person (internal id) away, from wherever they send or watch. */
  expel(roomId: string, userId: string): Promise<void>
  /** Who (internal ids) sends picture or sound at this moment. */
  publishing(roomId: string): Promise<string[]>
  /** Mixes all that is on stage and publishes it as RTMP; answers an id of what does it. */
  mix(roomId: string, publishUrl: string): Promise<string>
  /** What a webhook of the server says: null for what is of no interest. Fails when the server did not sign it. */
  readWebhook(body: string, authorization: string | undefined): Promise<StageEvent | null>
  /** Fails, saying why, when the server cannot be reached with the key. */
  check(): Promise<void>
}
