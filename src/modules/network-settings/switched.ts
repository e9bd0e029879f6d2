import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Method, Routes } from '../../kernel/http/routes.ts'
import type { Slice } from '../../kernel/slice.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { readSettings } from './settings.ts'

type Part = 'chat' | 'social'

/** Fails with `forbidden` where a part of the network is switched off, except for its administrators. */
export async function requireSwitchedOn(db: Db, viewer: Viewer, part: Part): Promise<void> {
  if (isAdmin(viewer) || (await readSettings(db, part)).enabled) return
  fail('forbidden', `${part} is switched off`)
}

/**
 * The slices of a part of the network that its administrators may switch off: then nobody else makes or changes
 * anything there. What is there can be read, and taken back by whoever may.
 */
export function switchedBy(part: Part, slices: Slice[]): Slice[] {
  const requireOn = async (db: Db, method: Method, viewer: Viewer) => {
    if (method !== 'DELETE') await requireSwitchedOn(db, viewer, part)
  }
  const switched = (routes: Routes): Routes => ({
    ...routes,
    write: (method, path, spec, handler) =>
      routes.write(method, path, spec, async (tx, request) => {
        await requireOn(tx, method, request.viewer)
        return handler(tx, request)
      }),
    grouped: (method, path, spec, handler) =>
      routes.grouped(method, path, spec, async (db, request) => {
        await requireOn(db, method, request.viewer)
        return handler(db, request)
      }),
  })
  return slices.map((slice) => ({ ...slice, routes: (routes) => slice.routes?.(switched(routes)) }))
}
