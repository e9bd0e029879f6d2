import type { LookupAddress } from 'node:dns'
import { isIP, Socket } from 'node:net'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { CheckedLookup } from './checked-lookup.ts'

// Longer than three attempts of TCP.
const connectTimeoutMs = 5000

export type Connector = {
  connect: buildConnector.connector
  /** Destroys the sockets that are still being connected. */
  abandon(): void
}

/**
 * Opens sockets to exactly the addresses that `lookup` has checked: a name is resolved once per connection, and
 * what was checked is what is connected to, so a second answer of a name server changes nothing. TLS still
 * verifies the name.
 */
export function createConnector(lookup: CheckedLookup, ca?: string): Connector {
  const socketLookup: LookupFunction = (host, options, callback) => {
    lookup(host).then(
      (addresses) => answer(addresses, options.all === true, callback),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
  const open = buildConnector({
    lookup: socketLookup,
    timeout: connectTimeoutMs,
    ...(ca === undefined ? {} : { ca }),
  })
  const connecting = new Set<Socket>()

  function connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const socket = open(options, (...result) => {
      if (socket instanceof Socket) connecting.delete(socket)
      callback(...result)
    }) as unknown
    if (socket instanceof Socket) connecting.add(socket)
  }

  return {
    connect(options, callback) {
      // Sockets never look literals up.
      if (isIP(options.hostname) === 0) return connect(options, callback)
      lookup(options.hostname).then(
        () => connect(options, callback),
        (error: Error) => callback(error, null),
      )
    },
    abandon() {
      for (const socket of connecting) socket.destroy(new Error('the client was closed'))
    },
  }
}

function answer(addresses: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = addresses
  if (all) callback(null, addresses)
  else callback(null, first?.address ?? '', first?.family)
}
