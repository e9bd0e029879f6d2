import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { now } from '../../platform/clock.ts'
import {
  deleteWebhook,
  registerWebhook,
  replayDead,
  replayDelivery,
  rotateSecret,
  switchWebhook,
  updateWebhook,
  type WebhookRules,
} from './actions.ts'
import { changePrehook, readPrehook } from './prehook-setting.ts'
import { presentDelivery, presentWebhook } from './present.ts'
import { getDelivery, getWebhook, listWebhooks, queryDeliveries } from './queries.ts'
import {
  Deliveries,
  DeliveriesQuery,
  DeliveryIdParams,
  DeliveryWithBody,
  PrehookSetting,
  PrehookSettingBody,
  RegisterBody,
  ReplayBody,
  Replayed,
  RotateBody,
  UpdateBody,
  WebhookIdParams,
  Webhooks,
} from './schema.ts'
import type { EndpointRow } from './store.ts'

const tag = 'Webhook'
const collection = '/api/v1/webhooks'
const path = `${collection}/:webhookId`
const answers = { schema: Webhooks }
const one = { tag, params: WebhookIdParams, answers }
const success = { body: { success: true } }
const shown = (...rows: EndpointRow[]) => ({
  body: { webhooks: rows.map((row) => presentWebhook(row, now())) },
})
const shownWithSecret = (row: EndpointRow) => ({
  body: { webhooks: [{ ...presentWebhook(row, now()), secret: row.secret }] },
})

export function webhookRoutes(routes: Routes, rules: WebhookRules): void {
  const { read, write } = routes
  write(
    'POST',
    collection,
    { summary: 'Register a webhook; the answer shows its secret, once', tag, body: RegisterBody, answers },
    async (tx, { viewer, body }) => shownWithSecret(await registerWebhook(tx, viewer, rules, body)),
  )
  read('GET', collection, { summary: 'List the webhooks', tag, answers }, async (db, { viewer }) =>
    shown(...(await listWebhooks(db, viewer))),
  )
  read('GET', path, { summary: 'Get a webhook', ...one }, async (db, { viewer, params }) =>
    shown(await getWebhook(db, viewer, params.webhookId)),
  )
  write(
    'PUT',
    path,
    { summary: 'Change a webhook', ...one, body: UpdateBody },
    async (tx, { viewer, params, body }) =>
      shown(await updateWebhook(tx, viewer, rules, params.webhookId, body)),
  )
  write(
    'DELETE',
    path,
    {
      summary: 'Delete a webhook with all that was to be sent to it',
      tag,
      params: WebhookIdParams,
      answers: { schema: Success },
    },
    async (tx, { viewer, params }) => {
      await deleteWebhook(tx, viewer, rules, params.webhookId)
      return success
    },
  )
  write(
    'POST',
    `${path}/secret`,
    { summary: 'Rotate the secret of a webhook; the answer shows it, once', ...one, body: RotateBody },
    async (tx, { viewer, params, body }) =>
      shownWithSecret(await rotateSecret(tx, viewer, params.webhookId, body.overlapHours)),
  )
  for (const [name, isEnabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    // prettier-ignore
    write('POST', `${path}/${name}`, { summary: `${name} a webhook`, ...one }, async (tx, { viewer, params }) =>
      shown(await switchWebhook(tx, viewer, params.webhookId, isEnabled)),
    )
  deliveryRoutes(routes, rules)
  prehookRoutes(routes, rules)
}

function prehookRoutes({ read, write }: Routes, rules: WebhookRules): void {
  const setting = '/api/v3/network-settings/prehook'
  const common = { tag: 'Network setting', answers: { schema: PrehookSetting } }
  read('GET', setting, { summary: 'Read the prehook settings', ...common }, async (db, { viewer }) => ({
    body: await readPrehook(db, viewer),
  }))
  write(
    'PUT',
    setting,
    { summary: 'Change the prehook settings', ...common, body: PrehookSettingBody },
    async (tx, { viewer, body }) => ({ body: await changePrehook(tx, viewer, rules, body) }),
  )
}

function deliveryRoutes({ read, write }: Routes, rules: WebhookRules): void {
  const deliveries = `${path}/deliveries`
  read(
    'GET',
    deliveries,
    {
      summary: 'Query what was sent to a webhook; `state=dead` for what was given up',
      tag,
      params: WebhookIdParams,
      query: DeliveriesQuery,
      answers: { schema: Deliveries },
    },
    async (db, { viewer, params, query }) => {
      const { rows, paging } = await queryDeliveries(db, viewer, rules, params.webhookId, query)
      return { body: { deliveries: rows.map(presentDelivery), paging } }
    },
  )
  read(
    'GET',
    `${deliveries}/:deliveryId`,
    {
      summary: 'Get a delivery with what is sent',
      tag,
      params: DeliveryIdParams,
      answers: { schema: DeliveryWithBody },
    },
    async (db, { viewer, params }) => {
      const { body, ...row } = await getDelivery(db, viewer, rules, params)
      return { body: { deliveries: [{ ...presentDelivery(row), body: JSON.parse(body) as unknown }] } }
    },
  )
  write(
    'POST',
    `${deliveries}/replay`,
    {
      summary: 'Send again what was given up',
      tag,
      params: WebhookIdParams,
      body: ReplayBody,
      answers: { schema: Replayed },
    },
    async (tx, { viewer, params, body: { from, to, event } }) => {
      const filter = { event, from: time(from), to: time(to) }
      return { body: { replayed: await replayDead(tx, viewer, rules, params.webhookId, filter) } }
    },
  )
  write(
    'POST',
    `${deliveries}/:deliveryId/replay`,
    { summary: 'Send a delivery again', tag, params: DeliveryIdParams, answers: { schema: Success } },
    async (tx, { viewer, params }) => {
      await replayDelivery(tx, viewer, rules, params)
      return success
    },
  )
}

const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
