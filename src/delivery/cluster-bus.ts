import type { AccessChange } from '../kernel/outbox/event.ts'
import { parseMembersAudience, type Audience } from '../kernel/paths.ts'
import type { Bus } from '../platform/cluster/nats.ts'
import { newId } from '../platform/ids.ts'
import { filterSubjects, topicSubject } from '../platform/cluster/subjects.ts'
import type { Hub, InterestChange } from '../platform/realtime/hub.ts'
import type { RealtimeBus, RealtimeMessage } from './realtime-sink.ts'

/** What goes from node to node. */
type Relayed =
  { audiences: Audience[]; message: RealtimeMessage } | { letIn: AccessChange } | { shutOut: AccessChange }

export interface ClusterBus extends RealtimeBus {
  /** Resolves when what connections here subscribed to reaches them from every node. */
  settled(): Promise<void>
  /** Tells the node that dispatches that there are events. */
  nudge(): void
  onNudge(listener: () => void): void
  leave(): Promise<void>
}

const accessSubject = 'hubbub.access'
const nudgeSubject = 'hubbub.nudge'
const nodeSubject = 'hubbub.node'
const topicPrefix = 'hubbub.topic.'
const groupPrefix = 'hubbub.group.'
/** An event with several audiences comes once for each that this node wants, close together. */
const remembered = 10_000
const signOfLifeMs = 1000
/** How long an event waits until every node listens for those whom it lets in. */
const letInMs = 500

/**
 * Shares events between nodes: whoever dispatches publishes each to the subjects of its audiences, and each node hears
 * those that its own connections want, itself included. While NATS is away only the connections of the dispatching
 * node are served; afterwards all are made to resume.
 */
export function createClusterBus(bus: Bus, hub: Hub, local: RealtimeBus): ClusterBus {
  const stops = new Map<string, (() => void)[]>()
  const seen = new Set<string>()
  let tail: Promise<void> | null = null
  let isNudgeDue = false

  const take = (relayed: Relayed): Promise<void> | void => {
    if ('letIn' in relayed) return local.letIn(relayed.letIn)
    if ('shutOut' in relayed) return local.shutOut(relayed.shutOut)
    const { id } = relayed.message
    if (seen.has(id)) return
    seen.add(id)
    if (seen.size > remembered) for (const oldest of seen) if (seen.delete(oldest)) break
    local.publish(relayed.audiences, relayed.message)
  }
  // Whoever is shut out must hear nothing later, so what comes waits while that is under way.
  const hear = (payload: string, answer: () => void) => {
    const relayed = JSON.parse(payload) as Relayed
    if (tail) chain(() => take(relayed))
    else {
      const pending = take(relayed)
      if (pending) chain(() => pending)
    }
    // Only once NATS knows of the new group will its next event come here.
    if ('letIn' in relayed) void (tail ?? Promise.resolve()).then(() => bus.flush()).then(answer)
  }
  const chain = (work: () => Promise<void> | void) => {
    const link: Promise<void> = (tail ?? Promise.resolve()).then(work).finally(() => {
      if (tail === link) tail = null
    })
    tail = link
  }

  const follow = ({ kind, name, wanted }: InterestChange) => {
    const key = `${kind} ${name}`
    if (!wanted) {
      stops.get(key)?.forEach((stop) => stop())
      stops.delete(key)
      return
    }
    const subjects =
      kind === 'filter'
        ? filterSubjects(name).map((subject) => topicPrefix + subject)
        : [groupPrefix + topicSubject(name)]
    stops.set(
      key,
      subjects.map((subject) => bus.subscribe(subject, hear)),
    )
  }
  hub.onInterest(follow)
  const { filters, groups } = hub.interests()
  for (const name of filters) follow({ kind: 'filter', name, wanted: true })
  for (const name of groups) follow({ kind: 'group', name, wanted: true })
  bus.subscribe(accessSubject, hear)

  const self = newId()
  const nodes = new Map<string, number>()
  bus.subscribe(nodeSubject, (id) => nodes.set(id, performance.now()))
  const announce = () => bus.publish(nodeSubject, self)
  announce()
  const announcing = setInterval(announce, signOfLifeMs).unref()
  const livingNodes = () => {
    for (const [id, at] of nodes) if (performance.now() - at > 3 * signOfLifeMs) nodes.delete(id)
    return nodes.size
  }

  return {
    // Nobody knows what other nodes' connections want.
    wants: (audiences) => bus.isConnected() || local.wants(audiences),
    publish(audiences, message) {
      if (!bus.isConnected()) return local.publish(audiences, message)
      const payload = JSON.stringify({ audiences, message } satisfies Relayed)
      for (const subject of new Set(audiences.map(subjectOf))) bus.publish(subject, payload)
    },
    async letIn(change) {
      if (!bus.isConnected()) return local.letIn(change)
      if (change.joins === undefined || change.userIds === 'everyone') return
      await bus.gather(
        accessSubject,
        JSON.stringify({ letIn: change } satisfies Relayed),
        livingNodes(),
        letInMs,
      )
    },
    async shutOut(change) {
      if (!bus.isConnected()) return local.shutOut(change)
      bus.publish(accessSubject, JSON.stringify({ shutOut: change } satisfies Relayed))
    },
    settled: () => bus.flush(),
    nudge() {
      if (isNudgeDue) return
      isNudgeDue = true
      setImmediate(() => {
        isNudgeDue = false
        bus.publish(nudgeSubject, '{}')
      })
    },
    onNudge: (listener) => void bus.subscribe(nudgeSubject, listener),
    async leave() {
      clearInterval(announcing)
      await bus.close()
    },
  }
}

function subjectOf(audience: Audience): string {
  const members = parseMembersAudience(audience)
  return members ? groupPrefix + topicSubject(members.channelId) : topicPrefix + topicSubject(audience)
}
