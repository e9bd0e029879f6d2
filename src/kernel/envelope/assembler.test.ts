import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Db } from '../database.ts'
import type { Viewer } from '../viewer.ts'
import { createAssembler } from './assembler.ts'
import { slot, type Resource } from './resource.ts'
import { registerSlots, shape } from './shape.ts'

interface Note {
  id: string
  author: string
  parent?: string
  hidden?: boolean
}
const viewer = { id: 'me' } as Viewer
const context = { db: {} as Db, viewer }

function setUp(notes: Note[]) {
  const loads: Record<string, string[][]> = { notes: [], people: [] }
  const states: number[] = []
  const noteResource: Resource<Note, { liked: boolean }> = {
    name: 'notes',
    async load(_context, ids) {
      loads.notes!.push(ids)
      return new Map(notes.filter((note) => ids.includes(note.id)).map((note) => [note.id, note]))
    },
    references: (note) => ({ people: [note.author], parents: [note.parent], nowhere: ['x'] }),
    async viewerState(_context, rows) {
      states.push(rows.size)
      return new Map([...rows.keys()].map((id) => [id, { liked: id === 'n1' }]))
    },
    visible: (note) => !note.hidden,
  }
  const people: Resource<string> = {
    name: 'people',
    async load(_context, ids) {
      loads.people!.push(ids)
      return new Map(ids.map((id) => [id, id]))
    },
    references: () => ({}),
  }
  const present = (note: Note, state?: { liked: boolean }) => ({
    id: note.id,
    ...(state && { liked: state.liked }),
  })
  const slots = registerSlots([
    {
      notes: slot(noteResource, Type.Object({}), present),
      parents: slot(noteResource, Type.Object({}), present),
    },
    { people: slot(people, Type.String(), (name) => name) },
  ])
  return { assemble: createAssembler(slots), loads, states }
}

const noteShape = shape('notes', 'parents', 'people')

describe('the assembler', () => {
  it('keeps the order of roots, shows each side object once, and every promised key', async () => {
    const { assemble } = setUp([
      { id: 'n1', author: 'ann' },
      { id: 'n2', author: 'ann', parent: 'n1' },
    ])
    const [envelope] = await assemble(context, noteShape, [{ notes: ['n2', 'n1', 'n2', 'gone'] }])
    expect(envelope).toEqual({
      notes: [
        { id: 'n2', liked: false },
        { id: 'n1', liked: true },
      ],
      parents: [{ id: 'n1', liked: true }],
      people: ['ann'],
    })
    expect(await assemble(context, noteShape, [{ notes: [] }])).toEqual([
      { notes: [], parents: [], people: [] },
    ])
  })

  it('asks one query per resource and round, whatever the number of objects', async () => {
    const notes = Array.from({ length: 50 }, (_, i) => ({ id: `n${i}`, author: `p${i % 7}` }))
    const one = setUp(notes)
    await one.assemble(context, noteShape, [{ notes: ['n0'] }])
    const many = setUp(notes)
    await many.assemble(context, noteShape, [{ notes: notes.map((note) => note.id) }])
    expect(many.loads.notes!.length).toBe(one.loads.notes!.length)
    expect(many.loads.people!.length).toBe(one.loads.people!.length)
    expect(many.states).toEqual([50])
  })

  it('drops the hidden, with whatever only they referred to', async () => {
    const { assemble } = setUp([
      { id: 'n1', author: 'ann' },
      { id: 'n2', author: 'bob', hidden: true },
    ])
    const [envelope] = await assemble(context, noteShape, [{ notes: ['n1', 'n2'] }])
    expect(envelope).toEqual({ notes: [{ id: 'n1', liked: true }], parents: [], people: ['ann'] })
  })

  it('shows everything and nothing personal in broadcast form', async () => {
    const { assemble, states } = setUp([{ id: 'n2', author: 'bob', hidden: true }])
    const [envelope] = await assemble({ ...context, viewer: null }, noteShape, [{ notes: ['n2'] }])
    expect(envelope).toEqual({ notes: [{ id: 'n2' }], parents: [], people: ['bob'] })
    expect(states).toEqual([])
  })

  it('builds many envelopes from one load', async () => {
    const { assemble, loads } = setUp([
      { id: 'n1', author: 'ann' },
      { id: 'n2', author: 'bob' },
    ])
    const envelopes = await assemble(context, noteShape, [{ notes: ['n1'] }, { notes: ['n2'] }])
    expect(envelopes.map((envelope) => envelope.people)).toEqual([['ann'], ['bob']])
    expect(loads.notes).toHaveLength(1)
  })

  it('takes what the caller holds, and reads only the rest', async () => {
    const { assemble, loads, states } = setUp([
      { id: 'n1', author: 'ann' },
      { id: 'n3', author: 'cid' },
    ])
    const preloaded = {
      rows: {
        notes: new Map([['n2', { id: 'n2', author: 'ann', parent: 'n1' }]]),
        people: new Map([['ann', 'ann']]),
        nothing: new Map([['x', 'x']]),
      },
      states: { notes: new Map([['n2', { liked: true }]]) },
    }
    const [held] = await assemble({ ...context, preloaded }, shape('notes', 'people'), [{ notes: ['n2'] }])
    expect(held).toEqual({ notes: [{ id: 'n2', liked: true }], people: ['ann'] })
    expect([loads, states]).toEqual([{ notes: [], people: [] }, []])
    const [mixed] = await assemble({ ...context, preloaded }, noteShape, [{ notes: ['n2', 'n3'] }])
    expect(mixed).toEqual({
      notes: [
        { id: 'n2', liked: true },
        { id: 'n3', liked: false },
      ],
      parents: [{ id: 'n1', liked: true }],
      people: ['ann', 'cid'],
    })
    expect(loads).toEqual({ notes: [['n1', 'n3']], people: [['cid']] })
    expect(states).toEqual([2])
  })

  it('refuses a shape that names an unknown slot', async () => {
    const { assemble } = setUp([])
    await expect(assemble(context, shape('notes', { extra: 'unknown' }), [{}])).rejects.toThrow(
      'unknown slot',
    )
  })
})
