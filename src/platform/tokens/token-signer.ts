import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT, type CryptoKey, type JWK } from 'jose'
import { newId } from '../ids.ts'
import { elapsed, now } from '../clock.ts'

/** The one algorithm we sign with, and the only one we accept: never `none`, never a shared secret. */
export const signingAlgorithm = 'ES256'

export interface KeyPair {
  keyId: string
  privateJwk: JWK
  publicJwk: JWK
}

/** A new key pair, as JSON Web Keys. */
export async function generateSigningKey(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
  const keyId = newId()
  const described = { kid: keyId, alg: signingAlgorithm, use: 'sig' }
  return {
    keyId,
    privateJwk: { ...(await exportJWK(privateKey)), ...described },
    publicJwk: { ...(await exportJWK(publicKey)), ...described },
  }
}

/** Claims as we sign them; times are seconds since the epoch. */
export interface Claims {
  [claim: string]: unknown
  iat: number
  exp: number
}

export interface TokenSigner {
  /** Signs with the newest key. `audience` keeps one kind of token from passing for another. */
  sign(audience: string, claims: Claims): Promise<string>
  /** The claims, or null for anything but a live token of this audience signed by one of our keys. */
  verify(audience: string, token: string): Promise<Claims | null>
  /** Public keys, newest first, for others who verify our tokens. */
  jwks(): { keys: JWK[] }
  /** Takes up keys that were added or retired since. Fails as `load` does; the keys it had stay in use then. */
  reload(): Promise<void>
}

interface Keys {
  newestId: string
  privateKey: CryptoKey
  publicKeys: ReadonlyMap<string, CryptoKey>
  jwks: JWK[]
}

// Anyone can send tokens that name unknown keys; they must not become a query each.
const reloadPauseMs = 1000

/** Signs and verifies JSON Web Tokens with the keys that `load` answers, newest first. */
export async function createTokenSigner(load: () => Promise<KeyPair[]>): Promise<TokenSigner> {
  let keys = await importKeys(await load())
  let reloading: Promise<void> | null = null
  let reloadedAt = -Infinity

  // Always one more after the one under way, which may have read before the change.
  const reload = () => {
    const run = (reloading ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => {
        keys = await importKeys(await load())
        reloadedAt = elapsed()
      })
      .finally(() => {
        if (reloading === run) reloading = null
      })
    reloading = run
    return run
  }

  const publicKey = async ({ kid = '' }: { kid?: string | undefined }): Promise<CryptoKey> => {
    await reloading?.catch(() => undefined)
    // Another node may have signed with a key added since.
    if (!keys.publicKeys.has(kid) && elapsed() - reloadedAt >= reloadPauseMs) await (reloading ?? reload())
    return keys.publicKeys.get(kid) ?? Promise.reject(new Error('unknown key'))
  }

  return {
    sign: (audience, claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signingAlgorithm, kid: keys.newestId, typ: 'JWT' })
        .setAudience(audience)
        .sign(keys.privateKey),
    async verify(audience, token) {
      try {
        const { payload } = await jwtVerify(token, publicKey, {
          audience,
          algorithms: [signingAlgorithm],
          currentDate: now(),
          requiredClaims: ['iat', 'exp'],
        })
        return payload as Claims
      } catch {
        return null
      }
    },
    jwks: () => ({ keys: keys.jwks }),
    reload,
  }
}

async function importKeys(pairs: KeyPair[]): Promise<Keys> {
  const [newest] = pairs
  if (!newest) throw new Error('a token signer needs a key')
  const publicKeys = new Map<string, CryptoKey>()
  for (const { keyId, publicJwk } of pairs) {
    publicKeys.set(keyId, (await importJWK(publicJwk, signingAlgorithm)) as CryptoKey)
  }
  return {
    newestId: newest.keyId,
    privateKey: (await importJWK(newest.privateJwk, signingAlgorithm)) as CryptoKey,
    publicKeys,
    jwks: pairs.map(({ publicJwk }) => publicJwk),
  }
}
