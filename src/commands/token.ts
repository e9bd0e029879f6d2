import { parseArgs } from 'node:util'
import type { DB } from '../../db/tables.ts'
import { readConfig } from '../config.ts'
import { inTransaction } from '../kernel/database.ts'
import { openNetwork } from '../modules/network/index.ts'
import { createSession } from '../modules/sessions/index.ts'
import { grantRole } from '../modules/users/index.ts'
import { openDatabase } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrations.ts'
import { openConfiguredDatabase } from './database.ts'

const usage = 'usage: hubbub token --user ID [--role ROLE] [--days N]'

/** Prints an access token for a user, made on the spot if need be. Works beside a running server. */
export async function token(args: string[]): Promise<void> {
  const { user, role, days } = readArguments(args)
  const config = readConfig()
  const database = await openConfiguredDatabase(config, { join: true })
  try {
    await migrate(database.url)
    const db = openDatabase<DB>({ url: database.url, poolSize: 2 })
    try {
      const network = await openNetwork(db, config.HUBBUB_API_KEY)
      const { accessToken } = await inTransaction(db, async (tx) => {
        const session = await createSession(
          tx,
          { signer: network.tokens, trustsClients: false },
          { userId: user, vouched: true, ...(days && { days }) },
        )
        const granted = role ?? (user === config.HUBBUB_ADMIN_USER ? 'global-admin' : undefined)
        if (granted) await grantRole(tx, session.user, granted)
        return session
      })
      console.log(accessToken)
    } finally {
      await db.destroy()
    }
  } finally {
    await database.close()
  }
}

function readArguments(args: string[]): { user: string; role?: string; days?: number } {
  let values: { user?: string | undefined; role?: string | undefined; days?: string | undefined }
  try {
    const options = { user: { type: 'string' }, role: { type: 'string' }, days: { type: 'string' } } as const
    values = parseArgs({ args, options }).values
  } catch (error) {
    throw Object.assign(new Error(`${(error as Error).message}\n${usage}`), { expected: true })
  }
  const { user, role, days } = values
  const wrongDays =
    days !== undefined && !(Number.isInteger(Number(days)) && Number(days) >= 1 && Number(days) <= 3650)
  if (!user || user.length > 50 || wrongDays) throw Object.assign(new Error(usage), { expected: true })
  return { user, ...(role && { role }), ...(days && { days: Number(days) }) }
}
