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
  return async (context, shape, roots) => {
    const slots = new Map(Object.keys(shape).map((key) => [key, slotOf(registry, shape, key)]))
    const loaded = await load(context, slots, roots)
    await loadStates(context, slots, loaded)
    return roots.map((each) => walk(context, slots, loaded, each))
  }
}

type Slots = Map<string, Slot>
type LoadedByResource = Map<Resource, Loaded>

async function load(context: EnvelopeContext, slots: Slots, roots: Roots[]): Promise<LoadedByResource> {
  const loaded: LoadedByResource = new Map()
  const asked = new Map<Resource, Set<string>>()
  let wanted = new Map<Resource, Set<string>>()
  const want = (key: string, ids: readonly (string | null | undefined)[]) => {
    const resource = slots.get(key)?.resource
    if (!resource) return
    const seen = asked.get(resource) ?? new Set()
    asked.set(resource, seen)
    for (const id of ids) {
      if (id == null || seen.has(id)) continue
      seen.add(id)
      const next = wanted.get(resource) ?? new Set()
      wanted.set(resource, next.add(id))
    }
  }
  for (const each of roots) for (const [key, ids] of Object.entries(each)) want(key, ids)
  while (wanted.size > 0) {
    const round = [...wanted]
    wanted = new Map()
    const found = await Promise.all(round.map(([resource, ids]) => loadRows(context, atHand(slots, context.preloaded?.rows, resource), resource, ids)))
    round.forEach(([resource], i) => {
      const into = loaded.get(resource) ?? { rows: new Map(), states: new Map() }
      loaded.set(resource, into)
      for (const [id, row] of found[i]!) {
        into.rows.set(id, row)
        for (const [key, ids] of Object.entries(resource.references(row, context.viewer))) want(key, ids)
      }
    })
  }
  return loaded
}

async function loadRows(context: EnvelopeContext, atHand: Rows | undefined, resource: Resource, ids: Set<string>) {
  if (!atHand) return resource.load(context, [...ids])
  const missing = [...ids].filter((id) => !atHand.has(id))
  const found = missing.length > 0 ? await resource.load(context, missing) : new Map<string, unknown>()
  for (const id of ids) if (atHand.has(id)) found.set(id, atHand.get(id))
  return found
}

async function loadStates({ db, viewer, preloaded }: EnvelopeContext, slots: Slots, loaded: LoadedByResource): Promise<void> {
  if (!viewer) return
  await Promise.all(
    [...loaded].map(async ([resource, into]) => {
      if (!resource.viewerState) return
      const known = atHand(slots, preloaded?.states, resource)
      const asked = known ? new Map([...into.rows].filter(([id]) => !known.has(id))) : into.rows
      if (asked.size > 0) into.states = await resource.viewerState({ db, viewer }, asked)
      for (const [id, state] of known ?? []) into.states.set(id, state)
    }),
  )
}

type Rows = ReadonlyMap<string, unknown>

// What was preloaded of a resource, under whichever of its keys.
function atHand(slots: Slots, preloaded: Preloaded['rows'] | undefined, resource: Resource): Rows | undefined {
  for (const [key, rows] of Object.entries(preloaded ?? {})) if (slots.get(key)?.resource === resource) return rows
  return undefined
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
      for (const [next, ids] of Object.entries(slot.resource.references(row, viewer))) {
        for (const other of ids) if (other != null) queue.push([next, other])
      }
    }
  }
  return envelope
}
