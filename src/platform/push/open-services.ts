import { readFile } from 'node:fs/promises'
import { importPKCS8 } from 'jose'
import { createApnsSender, type ApnsOptions } from './apns.ts'
import { createFcmSender, readServiceAccount, type FcmOptions } from './fcm.ts'
import type { PushSender, PushVendor } from './sender.ts'
import { createWebPushSender, type VapidKeys } from './web-push.ts'

export interface PushSettings {
  HUBBUB_APNS_KEY_FILE?: string
  HUBBUB_APNS_KEY_ID?: string
  HUBBUB_APNS_TEAM_ID?: string
  HUBBUB_APNS_TOPIC?: string
  HUBBUB_APNS_URL: string
  HUBBUB_FCM_ACCOUNT_FILE?: string
  HUBBUB_FCM_URL: string
  HUBBUB_WEB_PUSH_CONTACT?: string
  publicUrl: string | null
}

/** The push services that are set up; null for those that are off. */
export interface PushServices {
  apns: ApnsOptions | null
  fcm: FcmOptions | null
  web: { contact: string } | null
}

/** Reads how push services are set up. Throws an `Error` that says what of a service is missing or wrong. */
export async function readPushServices(settings: PushSettings): Promise<PushServices> {
  const { HUBBUB_WEB_PUSH_CONTACT: named, publicUrl } = settings
  const contact = named ?? (publicUrl?.startsWith('https://') ? publicUrl : undefined)
  return {
    apns: await readApns(settings),
    fcm: await readFcm(settings),
    web: contact === undefined ? null : { contact },
  }
}

async function readApns(settings: PushSettings): Promise<ApnsOptions | null> {
  const names = [
    'HUBBUB_APNS_KEY_FILE',
    'HUBBUB_APNS_KEY_ID',
    'HUBBUB_APNS_TEAM_ID',
    'HUBBUB_APNS_TOPIC',
  ] as const
  const missing = names.filter((name) => settings[name] === undefined)
  if (missing.length === names.length) return null
  if (missing.length > 0) throw new Error(`APNs also needs ${missing.join(', ')}`)
  const key = await readNamed('HUBBUB_APNS_KEY_FILE', settings.HUBBUB_APNS_KEY_FILE!)
  await importPKCS8(key, 'ES256').catch(() => {
    throw new Error('HUBBUB_APNS_KEY_FILE holds no APNs key')
  })
  return {
    key,
    keyId: settings.HUBBUB_APNS_KEY_ID!,
    teamId: settings.HUBBUB_APNS_TEAM_ID!,
    topic: settings.HUBBUB_APNS_TOPIC!,
    url: settings.HUBBUB_APNS_URL,
  }
}

async function readFcm(settings: PushSettings): Promise<FcmOptions | null> {
  const file = settings.HUBBUB_FCM_ACCOUNT_FILE
  if (file === undefined) return null
  const text = await readNamed('HUBBUB_FCM_ACCOUNT_FILE', file)
  try {
    const account = readServiceAccount(text)
    await importPKCS8(account.private_key, 'RS256')
    return { account, url: settings.HUBBUB_FCM_URL }
  } catch (error) {
    throw new Error(`HUBBUB_FCM_ACCOUNT_FILE holds no service account: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function readNamed(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`${setting}: ${(error as Error).message}`, { cause: error })
  }
}

/** Opens what is set up. Each must be closed. */
export function openPushSenders({ apns, fcm, web }: PushServices, keys: VapidKeys, userAgent: string) {
  const senders: PushSender[] = []
  if (apns) senders.push(createApnsSender(apns))
  if (fcm) senders.push(createFcmSender(fcm))
  if (web) {
    senders.push(
      createWebPushSender({ keys, contact: web.contact, outbound: { allowPrivate: false, userAgent } }),
    )
  }
  return senders
}

/** Each service, and whether devices of it are reached: for people who set it up. */
export function describePushServices({ apns, fcm, web }: PushServices): string {
  const lines: Record<PushVendor, string> = {
    apns: apns ? `APNs on (${apns.topic})` : 'APNs off: HUBBUB_APNS_KEY_FILE is not set',
    fcm: fcm ? `FCM on (${fcm.account.project_id})` : 'FCM off: HUBBUB_FCM_ACCOUNT_FILE is not set',
    web: web
      ? `Web Push on (${web.contact})`
      : 'Web Push off: neither HUBBUB_WEB_PUSH_CONTACT nor an https PUBLIC_URL is set',
  }
  return Object.values(lines).join('; ')
}
