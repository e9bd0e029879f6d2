import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT, type CryptoKey, type JWK } from 'jose'
import { newId } from '../ids.ts'
import { now } from '../clock.ts'


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
}

/** Signs and verifies JSON Web Tokens. `keys` newest first. */
export async function createTokenSigner(keys: KeyPair[]): Promise<TokenSigner> {
  const [newest] = keys
  if (!newest) throw new Error('a token signer needs a key')
  const privateKey = (await importJWK(newest.privateJwk, signingAlgorithm)) as CryptoKey
  const publicKeys = new Map<string, CryptoKey>()
  for (const { keyId, publicJwk } of keys) {
    publicKeys.set(keyId, (await importJWK(publicJwk, signingAlgorithm)) as CryptoKey)
  }
  return {
    sign: (audience, claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: signingAlgorithm, kid: newest.keyId, typ: 'JWT' })
        .setAudience(audience)
        .sign(privateKey),
    async verify(audience, token) {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => publicKeys.get(kid ?? '') ?? Promise.reject(new Error('unknown key')),
          { audience, algorithms: [signingAlgorithm], currentDate: now(), requiredClaims: ['iat', 'exp'] },
        )
        return payload as Claims
      } catch {
        return null
      }
    },
    jwks: () => ({ keys: keys.map((key) => key.publicJwk) }),
  }
}
