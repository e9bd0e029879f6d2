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
import { forget, onForget } from '../../kernel/invalidation.ts'
import {
  findKeys,
  findSigningKeys,
  insertKey,
  insertSigningKey,
  lockNetwork,
  retireOlderKeys,
  type KeyKind,
} from './store.ts'

/** The topic under which nodes hear that signing keys were added or retired. */
export const signingKeysTopic = 'signing-keys'

/** What identifies the network: made on the first start, kept in the database, the same on every node. */
export interface NetworkKeys {
  apiKeys: ReadonlySet<string>
  serverKeys: ReadonlySet<string>
  /** The key the banner shows. */
  apiKey: string
  tokens: TokenSigner
  /** Stops hearing of new keys. */
  close(): void
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
  const tokens = await createTokenSigner(() => loadSigningKeys(db))
  return {
    apiKeys,
    serverKeys,
    apiKey: apiKey ?? stored[0]!,
    tokens,
    // A reload that fails is made up for by the next token that names an unknown key.
    close: onForget(signingKeysTopic, () => void tokens.reload().catch(() => undefined)),
  }
}

/** Adds a signing key: every node signs with it from now on, and tokens of older keys go on passing. */
export async function addSigningKey(tx: Tx): Promise<string> {
  const { keyId, privateJwk, publicJwk } = await generateSigningKey()
  await insertSigningKey(tx, {
    keyId,
    algorithm: signingAlgorithm,
    privateJwk: JSON.stringify(privateJwk),
    publicJwk: JSON.stringify(publicJwk),
    createdAt: now(),
  })
  await forget(tx, signingKeysTopic, keyId)
  return keyId
}

/** Retires all signing keys but the newest: every token they signed is refused from now on. Answers how many. */
export async function retireOldSigningKeys(tx: Tx): Promise<number> {
  const [newest] = await findSigningKeys(tx)
  if (!newest) return 0
  const retired = await retireOlderKeys(tx, newest.keyId, now())
  await forget(tx, signingKeysTopic, newest.keyId)
  return retired
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
