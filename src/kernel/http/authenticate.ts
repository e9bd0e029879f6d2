import type { Viewer } from '../viewer.ts'

/** Turns an Authorization header into the viewer it stands for, or fails with `unauthorized`. */
export type Authenticate = (authorization: string | undefined) => Promise<Viewer>
