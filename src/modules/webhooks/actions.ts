import type { DeliveryLog, ReplayFilter } from '../../delivery/webhooks/log.ts'
import { secretPrefix } from '../../delivery/webhooks/signature.ts'
import { now } from '../../platform/clock.ts'
import { newId, newKey } from '../../platform/ids.ts'
import { checkTarget } from '../../platform/outbound/target.ts'
import type { Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { webhooksTopic } from './endpoints.ts'
import { documentedEvents, prehookEvents } from './event-names.ts'
import type { RegisterBody, UpdateBody } from './schema.ts'
import {
  deleteEndpoint,
  findWebhook,
  insertEndpoint,
  lockWebhookCount,
  updateEndpoint,
  type EndpointRow,
} from './store.ts'

/** What the actions need to know of the server. */
export interface WebhookRules {
  /** Names that events of this server go by, beside those of the interface. */
  eventNames(): ReadonlySet<string>
  /** Endpoints may be on private addresses. */
  allowPrivate: boolean
  log: DeliveryLog
}

const maxEndpoints = 20
export const defaultPrehookTimeoutMs = 3000

/** Endpoints hear of everything, so they are for those who run the network. */
export function requireWebhookAdmin(viewer: Viewer): void {
  if (!isAdmin(viewer)) fail('permissionDenied', 'webhooks are for admins')
}

export async function registerWebhook(
  tx: Tx,
  viewer: Viewer,
  rules: WebhookRules,
  body: RegisterBody,
): Promise<EndpointRow> {
  requireWebhookAdmin(viewer)
  const { url, events, description = '', defaultAction = 'allow' } = body
  requireTarget(url, rules)
  requireEvents(events, rules)
  if ((await lockWebhookCount(tx)) >= maxEndpoints)
    fail('badRequest', `a network has at most ${maxEndpoints} webhooks`)
  const at = now()
  const row = await insertEndpoint(tx, {
    id: newId(),
    url,
    events: [...new Set(events)],
    description,
    secret: newWebhookSecret(),
    defaultAction,
    prehookTimeoutMs: body.prehookTimeoutMs ?? defaultPrehookTimeoutMs,
    createdAt: at,
    updatedAt: at,
  })
  await forget(tx, webhooksTopic, row.id)
  return row
}

export async function updateWebhook(
  tx: Tx,
  viewer: Viewer,
  rules: WebhookRules,
  id: string,
  { url, events, ...options }: UpdateBody,
): Promise<EndpointRow> {
  requireWebhookAdmin(viewer)
  if (url !== undefined) requireTarget(url, rules)
  if (events !== undefined) requireEvents(events, rules)
  return change(tx, id, {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...options,
  })
}

/** Makes a new secret; the former one signs beside it for some hours. A third one ends at once. */
export async function rotateSecret(
  tx: Tx,
  viewer: Viewer,
  id: string,
  overlapHours: number,
): Promise<EndpointRow> {
  requireWebhookAdmin(viewer)
  const { secret } = (await findWebhook(tx, id)) ?? fail('notFound')
  const overlap = {
    previousSecret: secret,
    previousSecretUntil: new Date(now().getTime() + overlapHours * 3_600_000),
  }
  return change(tx, id, {
    secret: newWebhookSecret(),
    ...(overlapHours > 0 ? overlap : { previousSecret: null, previousSecretUntil: null }),
  })
}

/** What waits for a disabled endpoint goes on waiting; what happens meanwhile is not kept for it. */
export async function switchWebhook(
  tx: Tx,
  viewer: Viewer,
  id: string,
  isEnabled: boolean,
): Promise<EndpointRow> {
  requireWebhookAdmin(viewer)
  return change(tx, id, { isEnabled, disabledReason: null })
}

export async function deleteWebhook(
  tx: Tx,
  viewer: Viewer,
  { log }: WebhookRules,
  id: string,
): Promise<void> {
  requireWebhookAdmin(viewer)
  if (!(await findWebhook(tx, id)) || !(await deleteEndpoint(tx, id))) fail('notFound')
  await log.forget(tx, id)
  await forget(tx, webhooksTopic, id)
}

/** Sends one delivery again, whatever became of it. */
export async function replayDelivery(
  tx: Tx,
  viewer: Viewer,
  { log }: WebhookRules,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<void> {
  requireWebhookAdmin(viewer)
  if (!(await log.replay(tx, webhookId, deliveryId))) fail('notFound')
}

/** Sends again what was given up. Answers how many. */
export async function replayDead(
  tx: Tx,
  viewer: Viewer,
  { log }: WebhookRules,
  webhookId: string,
  filter: ReplayFilter,
): Promise<number> {
  requireWebhookAdmin(viewer)
  if (!(await findWebhook(tx, webhookId))) fail('notFound')
  return log.replayDead(tx, webhookId, filter)
}

async function change(
  tx: Tx,
  id: string,
  changes: Parameters<typeof updateEndpoint>[2],
): Promise<EndpointRow> {
  if (!(await findWebhook(tx, id))) fail('notFound')
  const row = (await updateEndpoint(tx, id, { ...changes, updatedAt: now() })) ?? fail('notFound')
  await forget(tx, webhooksTopic, id)
  return row
}

/** Fails with `invalid` for a URL that can never be called. */
export function requireTarget(url: string, { allowPrivate }: WebhookRules, member = 'url'): void {
  const problem = checkTarget(url, { allowPrivate })
  if (problem !== null) fail('invalid', `${member}: ${problem}`)
}

function requireEvents(events: readonly string[], { eventNames }: WebhookRules): void {
  const known = eventNames()
  for (const name of events) {
    const isKnown = name === '*' || known.has(name) || documentedEvents.includes(name)
    if (!isKnown && !(prehookEvents as readonly string[]).includes(name))
      fail('invalid', `events: there is no event ${name}`)
  }
}

export function newWebhookSecret(): string {
  return secretPrefix + newKey(32).toString('base64')
}
