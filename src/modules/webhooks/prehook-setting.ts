import type { Static } from 'typebox'
import { now } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { Db, Tx } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import { forget } from '../../kernel/invalidation.ts'
import type { Viewer } from '../../kernel/viewer.ts'
import {
  defaultPrehookTimeoutMs,
  newWebhookSecret,
  requireTarget,
  requireWebhookAdmin,
  type WebhookRules,
} from './actions.ts'
import { webhooksTopic } from './endpoints.ts'
import { prehookEvents } from './event-names.ts'
import type { PrehookSetting, PrehookSettingBody } from './schema.ts'
import { findPrehook, insertEndpoint, lockEndpoints, updateEndpoint, type EndpointRow } from './store.ts'

/** The pre-hook of the network settings: one address that is asked about everything that can be asked. */
export async function readPrehook(db: Db, viewer: Viewer): Promise<Static<typeof PrehookSetting>> {
  requireWebhookAdmin(viewer)
  return present(await findPrehook(db))
}

/** Changes it. The secret is shown when it is made: at the first change, and when a new one is asked for. */
export async function changePrehook(
  tx: Tx,
  viewer: Viewer,
  rules: WebhookRules,
  { enabled, callbackUrl, defaultAction, regenerateKey }: PrehookSettingBody,
): Promise<Static<typeof PrehookSetting>> {
  requireWebhookAdmin(viewer)
  if (callbackUrl) requireTarget(callbackUrl, rules, 'callbackUrl')
  await lockEndpoints(tx)
  const before = await findPrehook(tx)
  const url = callbackUrl ?? before?.url ?? ''
  const isEnabled = enabled ?? before?.isEnabled ?? false
  if (isEnabled && url === '') fail('badRequest', 'a pre-hook needs a callbackUrl to be enabled')
  const at = now()
  const secret = before && !regenerateKey ? before.secret : newWebhookSecret()
  const changes = {
    url,
    isEnabled,
    secret,
    ...(defaultAction && { defaultAction }),
    disabledReason: null,
    updatedAt: at,
  }
  const row = before
    ? ((await updateEndpoint(tx, before.id, changes)) ?? fail('notFound'))
    : await insertEndpoint(tx, {
        id: newId(),
        kind: 'prehook',
        events: [...prehookEvents],
        description: '',
        prehookTimeoutMs: defaultPrehookTimeoutMs,
        createdAt: at,
        ...changes,
        defaultAction: defaultAction ?? 'allow',
      })
  await forget(tx, webhooksTopic, row.id)
  return { ...present(row), ...(secret !== before?.secret && { secretKey: secret }) }
}

function present(row: EndpointRow | undefined): Static<typeof PrehookSetting> {
  return {
    enabled: row?.isEnabled ?? false,
    callbackUrl: row?.url ?? '',
    defaultAction: row?.defaultAction === 'deny' ? 'deny' : 'allow',
  }
}
