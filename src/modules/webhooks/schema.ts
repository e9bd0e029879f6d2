import { Type, type Static } from 'typebox'
import { PageQuery, Paging } from '../../kernel/paging.ts'
import { Nullable, OneOf, StringList, Text, Timestamp } from '../../kernel/schema.ts'

const actions = ['allow', 'deny'] as const
const deliveryStates = ['pending', 'delivered', 'dead'] as const

export const Webhook = Type.Object({
  webhookId: Type.String(),
  url: Type.String(),
  events: StringList,
  description: Type.String(),
  /** Only in the answers that make it. */
  secret: Type.Optional(Type.String()),
  /** Until when the former secret signs beside the new one. */
  previousSecretExpiresAt: Nullable(Timestamp),
  defaultAction: OneOf(actions),
  prehookTimeoutMs: Type.Integer(),
  isEnabled: Type.Boolean(),
  disabledReason: Nullable(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export const Webhooks = Type.Object({ webhooks: Type.Array(Webhook) })

const Url = Text(2000, 1)
const Events = Type.Array(Text(100, 1), { minItems: 1, maxItems: 200 })
const options = {
  description: Type.Optional(Text(1000)),
  /** What holds when a pre-hook fails to answer in time. */
  defaultAction: Type.Optional(OneOf(actions)),
  prehookTimeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 10_000 })),
}

export const RegisterBody = Type.Object({ url: Url, events: Events, ...options })
export type RegisterBody = Static<typeof RegisterBody>

export const UpdateBody = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  ...options,
})
export type UpdateBody = Static<typeof UpdateBody>

export const RotateBody = Type.Object({
  /** How long the former secret stays valid. */
  overlapHours: Type.Integer({ minimum: 0, maximum: 168, default: 24 }),
})

export const PrehookSetting = Type.Object({
  enabled: Type.Boolean(),
  callbackUrl: Type.String(),
  defaultAction: OneOf(actions),
  /** Only in the answer that makes it. */
  secretKey: Type.Optional(Type.String()),
})
export const PrehookSettingBody = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  callbackUrl: Type.Optional(Text(900)),
  defaultAction: Type.Optional(OneOf(actions)),
  regenerateKey: Type.Optional(Type.Boolean()),
})
export type PrehookSettingBody = Static<typeof PrehookSettingBody>

export const WebhookIdParams = Type.Object({ webhookId: Text(50, 1) })
export const DeliveryIdParams = Type.Object({ ...WebhookIdParams.properties, deliveryId: Text(100, 1) })

const Attempt = Type.Object({
  at: Timestamp,
  status: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  durationMs: Type.Integer(),
  responseBody: Nullable(Type.String()),
})

export const Delivery = Type.Object({
  /** The `webhook-id` header. */
  deliveryId: Type.String(),
  webhookId: Type.String(),
  event: Type.String(),
  state: OneOf(deliveryStates),
  attempts: Type.Integer(),
  nextAttemptAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  /** Of the last attempt; null before the first. */
  status: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
  durationMs: Nullable(Type.Integer()),
  responseBody: Nullable(Type.String()),
  /** The last attempts, oldest first. */
  log: Type.Array(Attempt),
})
export const Deliveries = Type.Object({ deliveries: Type.Array(Delivery), paging: Paging })
export const DeliveryWithBody = Type.Object({
  deliveries: Type.Array(Type.Object({ ...Delivery.properties, body: Type.Unknown() })),
})

export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(OneOf(deliveryStates)),
  event: Type.Optional(Text(100, 1)),
})
export type DeliveriesQuery = Static<typeof DeliveriesQuery>

export const ReplayBody = Type.Object({
  /** Only what was made in this time. */
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  event: Type.Optional(Text(100, 1)),
})
export const Replayed = Type.Object({ replayed: Type.Integer() })
