import { joined, type Load } from '../joined.ts'
import type { EnvelopeContext, Preloaded, Resource, Slot } from './resource.ts'
import { slotOf, type Shape, type SlotRegistry } from './shape.ts'

/** The main objects of an envelope, in order, by key. */
export type Roots = Readonly<Record<string, readonly string[]>>

/** Every promised key, each an array; roots in the order asked for, the rest unique. */
export type Envelope = Record<string, unknown[]>

/** Builds envelopes for one or many sets of roots with one shared load. */
export type Assemble = (context: EnvelopeContext, shape: Shape, roots: Roots[]) => Promise<Envelope[]>

interface Loaded {
  rows: Map<string, unknown>
  states: Map<string, unknown>
}

/**
 * The only maker of outgoing envelopes. Loads in rounds, one query per resource and round, so the query count depends
 * on the kinds of objects and the depth of their references, never on how many there are.
 */
export function createAssembler(registry: SlotRegistry): Assemble {
  const slotsOf = new WeakMap<Shape, Slots>()
  return async (context, shape, roots) => {
    let slots = slotsOf.get(shape)
    if (!slots) {
      slots = new Map(Object.keys(shape).map((key) => [key, slotOf(registry, shape, key)]))
      slotsOf.set(shape, slots)
    }
    const loaded = await load(context, slots, roots)
    await loadStates(context, slots, loaded)
    return roots.map((each) => walk(context, slots, loaded, each))
  }
}

type Slots = ReadonlyMap<string, Slot>
type LoadedByResource = Map<Resource, Loaded>

async function load(context: EnvelopeContext, slots: Slots, roots: Roots[]): Promise<LoadedByResource> {
  const loaded: LoadedByResource = new Map()
  const asked = new Map<Resource, Set<string>>()
  let wanted = new Map<Resource, Set<string>>()
  const preloaded = byResource(slots, context.preloaded?.rows)
  const want = (key: string, ids: readonly (string | null | undefined)[]) => {
    const resource = slots.get(key)?.resource
    if (!resource) return
    const seen = asked.get(resource) ?? new Set()
    asked.set(resource, seen)
    const atHand = preloaded?.get(resource)
    for (const id of ids) {
      if (id == null || seen.has(id)) continue
      seen.add(id)
      const row = atHand?.get(id) ?? resource.remembered?.(context.db, id)
      if (row !== undefined) {
        take(resource, id, row)
        continue
      }
      const next = wanted.get(resource) ?? new Set()
      wanted.set(resource, next.add(id))
    }
  }
  const take = (resource: Resource, id: string, row: unknown) => {
    let into = loaded.get(resource)
    if (!into) loaded.set(resource, (into = { rows: new Map(), states: new Map() }))
    into.rows.set(id, row)
    const references = resource.references(row, context.viewer)
    for (const key in references) want(key, references[key]!)
  }
  for (const each of roots) for (const key in each) want(key, each[key]!)
  while (wanted.size > 0) {
    const round = [...wanted]
    wanted = new Map()
    const found = await Promise.all(round.map(([resource, ids]) => loadOf(resource)(context.db, [...ids])))
    round.forEach(([resource], i) => {
      for (const [id, row] of found[i]!) take(resource, id, row)
    })
  }
  return loaded
}

const loads = new WeakMap<Resource, Load<unknown>>()

function loadOf(resource: Resource): Load<unknown> {
  let load = loads.get(resource)
  if (!load) loads.set(resource, (load = joined(resource.load)))
  return load
}

async function loadStates(
  { db, viewer, preloaded }: EnvelopeContext,
  slots: Slots,
  loaded: LoadedByResource,
): Promise<void> {
  if (!viewer) return
  const knownStates = byResource(slots, preloaded?.states)
  const rowsOf = (key: string) => {
    const resource = slots.get(key)?.resource
    return resource && (loaded.get(resource)?.rows ?? new Map<string, unknown>())
  }
  const loads: Promise<void>[] = []
  for (const [resource, into] of loaded) {
    if (!resource.viewerState) continue
    const known = knownStates?.get(resource)
    const unknown = known ? new Map([...into.rows].filter(([id]) => !known.has(id))) : into.rows
    if (unknown.size > 0)
      loads.push(
        resource.viewerState({ db, viewer, rowsOf }, unknown).then((states) => {
          for (const [id, state] of states) into.states.set(id, state)
        }),
      )
    if (known) for (const [id, state] of known) into.states.set(id, state)
  }
  if (loads.length > 0) await Promise.all(loads)
}

type Rows = ReadonlyMap<string, unknown>

// What was preloaded, by the resource behind each key.
function byResource(slots: Slots, preloaded: Preloaded['rows'] | undefined): Map<Resource, Rows> | undefined {
  if (!preloaded) return undefined
  const found = new Map<Resource, Rows>()
  for (const key in preloaded) {
    const slot = slots.get(key)
    if (slot) found.set(slot.resource, preloaded[key]!)
  }
  return found
}

// Starts from the roots again, so that a hidden object cannot drag its author or files into the side lists.
function walk({ viewer }: EnvelopeContext, slots: Slots, loaded: LoadedByResource, roots: Roots): Envelope {
  const envelope: Envelope = {}
  const placed = new Map<string, Set<string>>()
  for (const key of slots.keys()) {
    envelope[key] = []
    placed.set(key, new Set())
  }
  let queue: [key: string, id: string][] = []
  for (const [key, ids] of Object.entries(roots)) for (const id of ids) queue.push([key, id])
  while (queue.length > 0) {
    const round = queue
    queue = []
    for (const [key, id] of round) {
      const slot = slots.get(key)
      const seen = placed.get(key)
      if (!slot || !seen || seen.has(id)) continue
      seen.add(id)
      const found = loaded.get(slot.resource)
      const row = found?.rows.get(id)
      if (row === undefined) continue
      const state = found?.states.get(id)
      if (viewer && slot.resource.visible && !slot.resource.visible(row, viewer, state)) continue
      envelope[key]!.push(slot.present(row, state))
      const references = slot.resource.references(row, viewer)
      for (const next in references)
        for (const other of references[next]!) if (other != null) queue.push([next, other])
    }
  }
  return envelope
}
