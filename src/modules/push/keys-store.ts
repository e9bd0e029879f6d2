import type { Tx } from '../../kernel/database.ts'

interface KeyPair {
  publicKey: string
  privateKey: string
}

/** Stores keys unless there are some: of two first starts at once, one wins. */
export async function insertPushKeys(tx: Tx, keys: KeyPair, createdAt: Date): Promise<void> {
  await tx
    .insertInto('pushKeys')
    .values({ kind: 'vapid', ...keys, createdAt })
    .onConflict((c) => c.doNothing())
    .execute()
}

export async function findPushKeys(tx: Tx): Promise<KeyPair> {
  return tx
    .selectFrom('pushKeys')
    .select(['publicKey', 'privateKey'])
    .where('kind', '=', 'vapid')
    .executeTakeFirstOrThrow()
}
