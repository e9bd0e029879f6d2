import { fail } from './errors.ts'

/** Who asks. `id` is the internal id, `userId` the public one that the app chose. */
export interface Viewer {
  id: string
  userId: string
  kind: 'signed-in' | 'visitor' | 'bot'
  roles: readonly string[]
  /** Network-wide permissions, from the user's own roles. */
  permissions: ReadonlySet<string>
  sessionId: string
}

/** Whether the viewer administers the whole network. */
export function isAdmin(viewer: Viewer): boolean {
  return viewer.roles.includes('global-admin')
}

/** Refuses visitors and bots, who may only read. Called by every write unless its route says otherwise. */
export function requireSignedIn(viewer: Viewer): void {
  if (viewer.kind === 'visitor') fail('visitorForbidden')
  if (viewer.kind === 'bot') fail('botForbidden')
}
