import ipaddr from 'ipaddr.js'
import type { IPv4, IPv6 } from 'ipaddr.js'

/**
 * - `public`: globally routed.
 * - `private`: within a machine, a link, a site or a provider, or set aside for documents and tests.
 * - `never`: no single machine: unspecified, broadcast, multicast; and what is no address at all.
 */
export type AddressKind = 'public' | 'private' | 'never'

const unusable = ['unspecified', 'broadcast', 'multicast']
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Classifies an IP address by the special-purpose registries of RFC 6890 and its updates. */
export function addressKind(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'never'
  const parsed = ipaddr.parse(address)
  return parsed.kind() === 'ipv4' ? kindOf(parsed as IPv4) : kindOfIpv6(parsed as IPv6)
}

function kindOf(address: IPv4 | IPv6): AddressKind {
  const range = address.range()
  return range === 'unicast' ? 'public' : unusable.includes(range) ? 'never' : 'private'
}

function kindOfIpv6(address: IPv6): AddressKind {
  const bytes = address.toByteArray()
  // ::ffff:0:0/96 and the NAT64 prefix 64:ff9b::/96 reach the IPv4 address in their last four bytes.
  const nat64 = address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'))
  if (nat64 || address.isIPv4MappedAddress()) return kindOf(new ipaddr.IPv4(bytes.slice(12)))
  const kind = kindOf(address)
  // Unlisted space outside the global block (IPv4-compatible, unassigned) is not public either.
  return kind === 'public' && !address.match(globalIpv6) ? 'private' : kind
}
