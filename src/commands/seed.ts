import { SingleBar, Presets } from 'cli-progress'
import { parseArgs } from 'node:util'
import type { DB } from '../../db/tables.ts'
import { readConfig } from '../config.ts'
import { openNetwork } from '../modules/network/index.ts'
import { openDatabase } from '../platform/database/database.ts'
import { openConfiguredDatabase } from './database.ts'
import { createSeedClient, type NetworkAccess } from './seed/client.ts'
import { planDemo } from './seed/demo.ts'

/** Fills a running server with a lively demo, all of it through the public HTTP interface. */
export async function seed(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { url: { type: 'string' } } })
  const config = readConfig()
  const url = (values.url ?? config.publicUrl ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, '')
  await requireRunning(url)
  const steps = planDemo(createSeedClient(url, await readAccess()))
  const bar = new SingleBar({ format: 'seeding {bar} {percentage}% | {step}' }, Presets.shades_classic)
  bar.start(steps.length, 0, { step: '' })
  try {
    for (const { name, run } of steps) {
      bar.update({ step: name })
      await run()
      bar.increment()
    }
    bar.update({ step: 'done' })
  } finally {
    bar.stop()
  }
  console.log(`\nThe demo is in. Look around: npx hubbub token --user mira`)
}

async function requireRunning(url: string): Promise<void> {
  const alive = await fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
  if (!alive)
    throw Object.assign(new Error(`no Hubbub answers at ${url}; start it first: npm start`), {
      expected: true,
    })
}

// The keys are the operator's: read where the server keeps them.
async function readAccess(): Promise<NetworkAccess> {
  const config = readConfig()
  const database = await openConfiguredDatabase(config, { join: true })
  const db = openDatabase<DB>({ url: database.url, poolSize: 1 })
  try {
    const { apiKey, serverKeys } = await openNetwork(db, config.HUBBUB_API_KEY)
    return { apiKey, serverKey: [...serverKeys][0]! }
  } finally {
    await db.destroy()
    await database.close()
  }
}
