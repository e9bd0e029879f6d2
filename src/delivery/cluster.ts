import { connectBus } from '../platform/cluster/nats.ts'
import { operatorError } from '../platform/operator-error.ts'
import type { Log } from '../platform/log.ts'
import { createClusterBus, type ClusterBus } from './cluster-bus.ts'
import type { Realtime } from './realtime.ts'

/** Joins the other servers on this database through NATS. Fails in plain words when no NATS server answers. */
export async function joinCluster(url: string, realtime: Realtime, log: Log): Promise<ClusterBus> {
  try {
    const bus = await connectBus({
      url,
      onAway: () => log.error('NATS is away: only clients of the dispatching server hear live events'),
      onBack() {
        log.info('NATS is back: clients connect again for what they missed')
        realtime.reconnectAll('events may have been missed')
      },
    })
    return createClusterBus(bus, realtime.hub, realtime.bus)
  } catch (error) {
    throw operatorError('no NATS server answers at NATS_URL', error)
  }
}
