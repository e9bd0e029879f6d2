import { parseArgs } from 'node:util'
import type { DB } from '../../db/tables.ts'
import { readConfig } from '../config.ts'
import { inTransaction } from '../kernel/database.ts'
import { addSigningKey, retireOldSigningKeys } from '../modules/network/index.ts'
import { openDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrations.ts'
import { openConfiguredDatabase } from './database.ts'

const usage = 'usage: hubbub keys rotate [--retire]'

/** Adds a signing key, and with `--retire` ends every token of the older ones. Running servers follow at once. */
export async function keys(args: string[]): Promise<void> {
  const retire = readArguments(args)
  const database = await openConfiguredDatabase(readConfig(), { join: true })
  try {
    await migrate(database.url)
    const db = openDatabase<DB>({ url: database.url, poolSize: 2 })
    try {
      const [keyId, retired] = await inTransaction(db, async (tx) => {
        const added = await addSigningKey(tx)
        return [added, retire ? await retireOldSigningKeys(tx) : 0] as const
      })
      console.log(`tokens are signed with key ${keyId} from now on`)
      console.log(retire ? `retired ${retired} older keys` : 'tokens of older keys go on passing')
    } finally {
      await db.destroy()
    }
  } finally {
    await database.close()
  }
}

function readArguments(args: string[]): boolean {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { retire: { type: 'boolean', default: false } },
    })
    if (positionals.length === 1 && positionals[0] === 'rotate') return values.retire
  } catch (error) {
    throw Object.assign(new Error(`${(error as Error).message}\n${usage}`), { expected: true })
  }
  throw Object.assign(new Error(usage), { expected: true })
}
