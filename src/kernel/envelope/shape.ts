import { Type, type TObject } from 'typebox'
import type { Slot } from './resource.ts'

/** The keys an envelope promises: envelope key -> slot name. */
export type Shape = Readonly<Record<string, string>>

/** Declares a shape. A plain name is a key whose slot has the same name; a map binds keys to other slots. */
export function shape(...entries: (string | Shape)[]): Shape {
  const merged: Record<string, string> = {}
  for (const entry of entries) Object.assign(merged, typeof entry === 'string' ? { [entry]: entry } : entry)
  return merged
}

/** All slots of all slices, by name. */
export type SlotRegistry = ReadonlyMap<string, Slot>

/** Joins the slots that slices declare. Two slices that claim one name are a mistake. */
export function registerSlots(declared: Record<string, Slot>[]): SlotRegistry {
  const registry = new Map<string, Slot>()
  for (const slots of declared) {
    for (const [name, slot] of Object.entries(slots)) {
      if (registry.has(name)) throw new Error(`slot ${name} is declared twice`)
      registry.set(name, slot)
    }
  }
  return registry
}

/** The slot behind a key of a shape. Throws at start-up for a name nobody declared. */
export function slotOf(registry: SlotRegistry, shape: Shape, key: string): Slot {
  const name = shape[key]
  const found = name === undefined ? undefined : registry.get(name)
  if (!found) throw new Error(`shape key ${key} names the unknown slot ${name ?? '(none)'}`)
  return found
}

/** The response schema of a shape. */
export function shapeSchema(registry: SlotRegistry, shape: Shape): TObject {
  return Type.Object(
    Object.fromEntries(
      Object.keys(shape).map((key) => [key, Type.Array(slotOf(registry, shape, key).schema)]),
    ),
  )
}
