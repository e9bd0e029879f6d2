import { Ajv, type ValidateFunction } from 'ajv'
import { now } from '../../platform/clock.ts'
import { databaseOf, type Db, type Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import { createMemory } from '../../kernel/memory.ts'
import { overlay, sections, type Section, type SectionValue } from './sections.ts'
import { findSection, lockSection, updateSection } from './store.ts'

const ajv = new Ajv({ useDefaults: true, strict: false, removeAdditional: false })
const validators = new Map<Section, ValidateFunction>(
  (Object.keys(sections) as Section[]).map((section) => [section, ajv.compile(sections[section])]),
)

/** Said when a section changes, by its name, to whoever remembers what it says. */
export const settingsTopic = 'network-settings'

const memory = createMemory<SectionValue<Section>>(100, [
  { topic: settingsTopic, drops: (section) => section },
])

/** A section as it stands: what is stored, with defaults for the rest. Not to be changed: it is remembered. */
export async function readSettings<S extends Section>(db: Db, section: S): Promise<SectionValue<S>> {
  const value = await memory.recall(databaseOf(db), section, () => loadSettings(db, section))
  return value as SectionValue<S>
}

async function loadSettings<S extends Section>(db: Db, section: S): Promise<SectionValue<S>> {
  const stored = await findSection(db, section)
  const value = structuredClone(stored?.value ?? {})
  if (!validators.get(section)!(value)) fail('unexpected', `stored settings ${section}`)
  return value as SectionValue<S>
}

/** When a section that has a row from the start was last changed. */
export async function settingsChangedAt(db: Db, section: Section): Promise<Date> {
  return (await findSection(db, section))?.updatedAt ?? fail('unexpected', `no settings ${section}`)
}

/** Changes some members of a section; answers the whole section. */
export async function updateSettings<S extends Section>(
  tx: Tx,
  section: S,
  body: Record<string, unknown>,
): Promise<SectionValue<S>> {
  // Two who change different members at once both have their way.
  await lockSection(tx, section, now())
  const next = overlay(section, await loadSettings(tx, section), body)
  const validate = validators.get(section)!
  if (!validate(next)) fail('invalid', ajv.errorsText(validate.errors, { dataVar: section }))
  await updateSection(tx, section, JSON.stringify(next), now())
  await forget(tx, settingsTopic, section)
  return next as SectionValue<S>
}
