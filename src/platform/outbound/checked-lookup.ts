import { lookup, Resolver } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { addressKind } from './address-kind.ts'
import { outboundError } from './outbound-errors.ts'

export type LookupRules = {
  /** Also call private, loopback, link-local and other special addresses. */
  allowPrivate: boolean
  /** Name servers to ask instead of the system's, each `address` or `address:port`. */
  dnsServers?: string[]
}

/** Resolves a name or literal to addresses that may be called. Errors: `dnsFailure`, `forbiddenAddress`. */
export type CheckedLookup = (host: string) => Promise<LookupAddress[]>

/**
 * Names are refused when any of their addresses is. Without private addresses, names are asked from DNS only: the
 * hosts file serves local names, and the system's own call would occupy one of the few threads that files need for
 * as long as a hostile name server likes.
 */
export function createCheckedLookup(rules: LookupRules): CheckedLookup {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (rules.dnsServers !== undefined) resolver.setServers(rules.dnsServers)
  const fromSystem = rules.allowPrivate && rules.dnsServers === undefined

  async function resolve(host: string): Promise<LookupAddress[]> {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    try {
      return fromSystem ? await lookup(host, { all: true }) : await ask(resolver, host)
    } catch (error) {
      throw outboundError('dnsFailure', `${host} cannot be resolved`, error)
    }
  }

  return async (host) => {
    const addresses = await resolve(host)
    for (const { address } of addresses) {
      const kind = addressKind(address)
      if (kind === 'public' || (kind === 'private' && rules.allowPrivate)) continue
      // Without the address itself: the message may reach whoever chose the name.
      throw outboundError('forbiddenAddress', `${host} does not lead to a public address`)
    }
    return addresses
  }
}

async function ask(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const [v6, v4] = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)])
  const found = [
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
  ]
  if (found.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('the name has no addresses')
  return found
}
