import type { Viewer } from './viewer.ts'

/** A write that is about to be done. */
export interface Intention {
  viewer: Viewer
  /** From the path: what is to be changed. */
  params: object
  body: object
  /** Whether the operation would take this body in place of the one that came. */
  fits(body: object): boolean
}

/** Those who are asked before something is written. */
export interface Prehooks {
  /** Answers the body to go on with, which may have been rewritten. Fails with `forbidden` when one says no. */
  ask(event: string, intention: Intention): Promise<object>
}
