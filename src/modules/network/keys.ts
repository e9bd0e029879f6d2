import { now } from '../../platform/clock.ts'
import { newSecret } from '../../platform/ids.ts'
import {
  createTokenSigner,
  generateSigningKey,
  signingAlgorithm,
  type KeyPair,
  type TokenSigner,
} from '../../platform/tokens/token-signer.ts'
import { inTransaction, type Db, type Tx } from '../../kernel/database.ts'
import { findKeys, findSigningKeys, insertKey, insertSigningKey, lockNetwork, type KeyKind } from './store.ts'

/** What identifies the network: made on the first start, kept in the database, the same on every node. */
export interface NetworkKeys {
  apiKeys: ReadonlySet<string>
  serverKeys: ReadonlySet<string>
  /** The key the banner shows. */
  apiKey: string
  tokens: TokenSigner
}

/** Loads the network's keys, making what is missing. `apiKey` from the settings is accepted beside the stored ones. */
export async function openNetwork(db: Db, apiKey?: string): Promise<NetworkKeys> {
  await inTransaction(db, async (tx) => {
    await lockNetwork(tx)
    await ensureKey(tx, 'api')
    await ensureKey(tx, 'server')
    if ((await findSigningKeys(tx)).length === 0) await addSigningKey(tx)
  })
  const stored = await findKeys(db, 'api')
  const apiKeys = new Set(apiKey === undefined ? stored : [apiKey, ...stored])
  const serverKeys = new Set(await findKeys(db, 'server'))
  return {
    apiKeys,
    serverKeys,
    apiKey: apiKey ?? stored[0]!,
    tokens: await createTokenSigner(await loadSigningKeys(db)),
  }
}

/** Adds a signing key; tokens are signed with it from the next start on, older keys go on verifying. */
export async function addSigningKey(tx: Tx): Promise<void> {
  const { keyId, privateJwk, publicJwk } = await generateSigningKey()
  await insertSigningKey(tx, {
    keyId,
    algorithm: signingAlgorithm,
    privateJwk: JSON.stringify(privateJwk),
    publicJwk: JSON.stringify(publicJwk),
    createdAt: now(),
  })
}

async function ensureKey(tx: Tx, kind: KeyKind): Promise<void> {
  if ((await findKeys(tx, kind)).length === 0) await insertKey(tx, newSecret(24), kind, now())
}

async function loadSigningKeys(db: Db): Promise<KeyPair[]> {
  const rows = await findSigningKeys(db)
  return rows.map((row) => ({
    keyId: row.keyId,
    privateJwk: row.privateJwk as KeyPair['privateJwk'],
    publicJwk: row.publicJwk as KeyPair['publicJwk'],
  }))
}
