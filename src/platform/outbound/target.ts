import { isIP } from 'node:net'
import { addressKind } from './address-kind.ts'
import { parseTarget } from './hops.ts'
import { isOutboundError } from './outbound-errors.ts'

/**
 * Why a URL that somebody chose can never be called, null when it may be. Names are looked up, and their addresses
 * checked, when a connection is made.
 */
export function checkTarget(text: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  try {
    const url = parseTarget(text)
    if (url.hash !== '') return 'a fragment is never sent'
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) === 0) {
      const isLocal = host === 'localhost' || host.endsWith('.localhost')
      return isLocal && !allowPrivate ? 'the address is private' : null
    }
    const kind = addressKind(host)
    if (kind === 'never') return 'no machine has this address'
    return kind === 'private' && !allowPrivate ? 'the address is private' : null
  } catch (error) {
    return isOutboundError(error) ? error.message : 'not a URL'
  }
}
