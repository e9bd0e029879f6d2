import type { TSchema } from 'typebox'
import type { Db } from '../database.ts'
import type { Load } from '../joined.ts'
import type { Viewer } from '../viewer.ts'

/** Who an envelope is for. `viewer: null` is the broadcast form: no personal fields, no hiding. */
export interface EnvelopeContext {
  db: Db
  viewer: Viewer | null
  preloaded?: Preloaded
}

/**
 * What the caller holds in its hands already (it has just written it), by envelope key and id: taken instead of being
 * read. Rows with a state here are not asked for theirs.
 */
export interface Preloaded {
  rows: Readonly<Record<string, ReadonlyMap<string, unknown>>>
  states?: Readonly<Record<string, ReadonlyMap<string, unknown>>>
}

/** Ids a row refers to, by envelope key. Keys that the shape does not promise are ignored. */
export type References = Record<string, readonly (string | null | undefined)[]>

/** Whose state is asked for. */
export interface ViewerContext {
  db: Db
  viewer: Viewer
  /** What else the envelope has loaded under a key, by id: undefined when its shape has no such key. */
  rowsOf(key: string): ReadonlyMap<string, unknown> | undefined
}

/**
 * How one kind of object is loaded and what it refers to. `Row` is what `load` reads, `State` what only this viewer
 * sees of it (own reactions, own flag).
 */
export interface Resource<Row = unknown, State = unknown> {
  name: string
  /** One query for all ids, joined with what other requests ask: rows do not depend on who asks. */
  load: Load<Row>
  /** A row that need not be read from the database (`cachedResource`). */
  remembered?(db: Db, id: string): Row | undefined
  references(row: Row, viewer: Viewer | null): References
  /** One query for all rows; not called in broadcast form. */
  viewerState?(context: ViewerContext, rows: Map<string, Row>): Promise<Map<string, State>>
  /** Hidden rows are dropped, with whatever only they referred to. Not asked in broadcast form. */
  visible?(row: Row, viewer: Viewer, state: State | undefined): boolean
}

/** An envelope key bound to a resource, a wire schema and the form it is presented in. */
export interface Slot {
  resource: Resource
  schema: TSchema
  present(row: unknown, state: unknown): unknown
}

/** Declares a slot. `present` is pure: the same row and state give the same object. */
export function slot<Row, State>(
  resource: Resource<Row, State>,
  schema: TSchema,
  present: (row: Row, state: State | undefined) => unknown,
): Slot {
  return { resource: resource as Resource, schema, present: present as Slot['present'] }
}

/** Indexes rows by their id, as `load` answers them. */
export function byId<Row>(rows: Row[], idOf: (row: Row) => string): Map<string, Row> {
  return new Map(rows.map((row) => [idOf(row), row]))
}
