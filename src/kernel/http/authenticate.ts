import type { Viewer } from '../viewer.ts'

/** The viewer behind an `authorization` header of a request, or a failure. */
export type Authenticate = (authorization: string | undefined, method: string) => Promise<Viewer>
