import { resolve } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import { Type, type Static } from 'typebox'
import type { S3Settings } from './platform/object-store/s3-client.ts'

const flag = (fallback: boolean, description: string) => Type.Boolean({ default: fallback, description })
const count = (fallback: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, maximum, description })

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const url = (fallback: string, description: string) =>
  Type.String({ default: fallback, pattern: '^https?://[^/?#]+[^?#]*$', description })

/** Every setting, its default and what it does: the table in docs/operate.md is made from this. */
export const Settings = Type.Object({
  PORT: count(8080, 0, 65_535, 'Port of the HTTP server; 0 takes a free one.'),
  HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address to listen on; `0.0.0.0` for all.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+[^?#]*$',
      description: 'Address clients reach the server at. Default: from HOST and PORT.',
    }),
  ),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://.+',
      description: 'PostgreSQL 15 or newer. Without it, one is started under the data folder.',
    }),
  ),
  DATABASE_POOL_SIZE: count(20, 2, 500, 'Connections to PostgreSQL that one server holds at most.'),
  HUBBUB_DATA_DIR: Type.String({
    default: './data',
    minLength: 1,
    description: 'Folder of the embedded database, of live video and, without S3_BUCKET, of files.',
  }),
  HUBBUB_API_KEY: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{8,200}$',
      description: 'API key that clients present. Without it, one is made at the first start.',
    }),
  ),
  HUBBUB_ADMIN_USER: Type.String({
    default: 'admin',
    minLength: 1,
    maxLength: 50,
    description: 'User id that holds the role global-admin.',
  }),
  HUBBUB_SECURE_MODE: flag(
    false,
    "Refuse sign-in without an auth token made by the app's backend with the server key.",
  ),
  HUBBUB_VISITOR_DAILY_READS: count(
    0,
    0,
    1_000_000,
    'Requests that a visitor may make a day (UTC); 0 for any number.',
  ),
  HUBBUB_CORS_ORIGIN: Type.String({
    default: '*',
    description: 'Origins that browsers may call from, separated by commas; `*` for any.',
  }),
  HUBBUB_TRUST_PROXY: Type.String({
    default: 'false',
    pattern: '^(true|false|[0-9])$',
    description:
      'Behind a proxy: take the client address from the X-Forwarded-For it adds to. `true` for one proxy, or how many there are in a row.',
  }),
  HUBBUB_RATE_LIMIT: count(
    0,
    0,
    1_000_000,
    'Requests that a user may make in a window; 0 for any number. The vendor allows 100.',
  ),
  HUBBUB_RATE_LIMIT_ADDRESS: count(
    0,
    0,
    1_000_000,
    'Requests without a user (sign-ins, refused tokens, unknown paths) that an address may make in a window; 0 for any number.',
  ),
  HUBBUB_RATE_LIMIT_SECONDS: count(5, 1, 86_400, 'Length of that window.'),
  HUBBUB_LINK_PREVIEW_ALLOW_PRIVATE: flag(
    false,
    'Let link previews look at private, loopback and link-local addresses, on any port.',
  ),
  HUBBUB_LOG_LEVEL: Type.Unsafe<string>(
    Type.String({
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'Least severe log line written.',
    }),
  ),
  HUBBUB_MAX_BODY_BYTES: count(1_048_576, 1024, 104_857_600, 'Largest JSON body.'),
  HUBBUB_JOB_CONCURRENCY: count(4, 0, 100, 'Jobs that run at once on this server; 0 leaves them to others.'),
  HUBBUB_SCHEDULE_MIN_MINUTES: count(60, 0, 43_200, 'How far ahead a post must be scheduled at least.'),
  HUBBUB_SCHEDULE_MAX_LATE_HOURS: count(
    168,
    1,
    8760,
    'How late a scheduled post may appear after the server was away; later ones fail.',
  ),
  HUBBUB_EVENT_REMINDER_MINUTES: count(
    60,
    0,
    10_080,
    'How long before an event starts those who are going are reminded of it; 0 for never.',
  ),
  HUBBUB_RTMP_PORT: count(1935, 0, 65_535, 'Port that encoders publish live video to; 0 takes a free one.'),
  HUBBUB_RTMP_URL: Type.Optional(
    Type.String({
      pattern: '^rtmps?://[^/?#]+$',
      description: 'Address encoders reach that port at. Default: from PUBLIC_URL or HOST, and the port.',
    }),
  ),
  HUBBUB_STREAM_GRACE_SECONDS: count(
    60,
    1,
    3600,
    'How long a live stream waits for an encoder that went away before it ends.',
  ),
  LIVEKIT_URL: Type.Optional(
    Type.String({
      pattern: '^(ws|http)s?://[^/?#]+[^?#]*$',
      description: 'LiveKit server on which co-hosts meet. Without it rooms have one host each.',
    }),
  ),
  LIVEKIT_API_KEY: Type.Optional(Type.String({ minLength: 1, description: 'API key of that server.' })),
  LIVEKIT_API_SECRET: Type.Optional(
    Type.String({ minLength: 1, description: 'Secret of that key; it signs the webhooks too.' }),
  ),
  LIVEKIT_EGRESS: flag(
    false,
    'Have the LiveKit egress service mix co-hosts into a stream for players, and a recording.',
  ),
  HUBBUB_MEDIA_RTMP_URL: Type.Optional(
    Type.String({
      pattern: '^rtmps?://[^/?#]+$',
      description:
        'Address of an RTMP server to use in place of the built-in one; needs HUBBUB_MEDIA_SECRET.',
    }),
  ),
  HUBBUB_MEDIA_SECRET: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{16,200}$',
      description: 'What that server presents when it calls `/media/callbacks`.',
    }),
  ),
  HUBBUB_MEDIA_HLS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/.*\\{stream\\}',
      description: 'Where that server plays HLS, with `{stream}` for the id of a stream.',
    }),
  ),
  HUBBUB_MEDIA_FLV_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/.*\\{stream\\}',
      description: 'Where that server plays HTTP-FLV, with `{stream}` for the id of a stream.',
    }),
  ),
  HUBBUB_MEDIA_RECORDINGS: Type.Optional(
    Type.String({ minLength: 1, description: 'Folder in which that server leaves its FLV recordings.' }),
  ),
  S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+[^?#]*$',
      description: 'Address of the S3-compatible store that keeps files, unless that is AWS.',
    }),
  ),
  S3_REGION: Type.String({ default: 'us-east-1', minLength: 1, description: 'Region of the bucket.' }),
  S3_BUCKET: text('Bucket that keeps files. Without it they are in the data folder.'),
  S3_ACCESS_KEY_ID: text('Access key that may list, read, write and delete there.'),
  S3_SECRET_ACCESS_KEY: text('Secret of that key.'),
  S3_PREFIX: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$',
      description: 'What the names of all objects begin with, as a folder, where others use the bucket too.',
    }),
  ),
  S3_FORCE_PATH_STYLE: Type.Optional(
    Type.Boolean({
      description: 'Name the bucket in the path of an address, not in its host. Default: with S3_ENDPOINT.',
    }),
  ),
  NATS_URL: Type.Optional(
    Type.String({
      pattern: '^(nats|tls)://[^\\s]+$',
      description:
        'NATS servers that several servers on one database share events through, separated by commas.',
    }),
  ),
  HUBBUB_EVENT_WINDOW_MINUTES: count(60, 1, 10_080, 'How long events are kept for clients that resume.'),
  HUBBUB_WEBHOOK_ALLOW_PRIVATE: flag(
    false,
    'Let webhooks call private, loopback and link-local addresses: only where whoever registers them is trusted.',
  ),
  HUBBUB_WEBHOOK_TIMEOUT_SECONDS: count(15, 1, 30, 'How long a receiver of webhooks may take to answer.'),
  HUBBUB_WEBHOOK_RETRY_SECONDS: Type.String({
    default: '5,300,1800,7200,18000,36000,50400,72000,86400,86400',
    pattern: '^\\d{1,6}(\\.\\d{1,3})?(,\\d{1,6}(\\.\\d{1,3})?){0,29}$',
    description: 'Pauses between the attempts to deliver a webhook, in seconds, separated by commas.',
  }),
  HUBBUB_WEBHOOK_LOG_DAYS: count(
    3,
    1,
    30,
    'How long delivered webhooks stay in the log; others stay 30 days.',
  ),
  HUBBUB_APNS_KEY_FILE: text('File of the APNs key (`.p8`). Without it, no push notifications go to iOS.'),
  HUBBUB_APNS_KEY_ID: text('Id of the APNs key.'),
  HUBBUB_APNS_TEAM_ID: text('Id of the Apple developer team.'),
  HUBBUB_APNS_TOPIC: text('Bundle id of the iOS app.'),
  HUBBUB_APNS_URL: url(
    'https://api.push.apple.com',
    'Address of APNs; `https://api.sandbox.push.apple.com` for builds under test.',
  ),
  HUBBUB_FCM_ACCOUNT_FILE: text(
    'File of the Google service account for FCM. Without it, no push notifications go to Android.',
  ),
  HUBBUB_FCM_URL: url('https://fcm.googleapis.com', 'Address of FCM.'),
  HUBBUB_WEB_PUSH_CONTACT: Type.Optional(
    Type.String({
      pattern: '^(mailto:.+@.+|https://.+)$',
      description:
        'Whom the push services of browsers may turn to: `mailto:` or `https:`. Default: PUBLIC_URL if that is https; without either, no push notifications go to browsers.',
    }),
  ),
})

type Settings = Static<typeof Settings>

/** What the program runs with. Frozen; read from the environment once. */
export type Config = Readonly<
  Omit<
    Settings,
    'PUBLIC_URL' | 'HUBBUB_CORS_ORIGIN' | 'HUBBUB_TRUST_PROXY' | 'HUBBUB_WEBHOOK_RETRY_SECONDS'
  > & {
    /** Proxies in front that are believed about the client's address. */
    trustedProxies: number
    publicUrl: string | null
    corsOrigin: string[] | true
    dataDir: string
    webhookRetrySeconds: number[]
    /** The RTMP server used in place of the built-in one. Addresses are empty where it does not play. */
    otherMedia: OtherMedia | null
    /** The bucket that keeps files, in place of the data folder. */
    s3: S3Settings | null
  }
>

export interface OtherMedia {
  rtmpUrl: string
  secret: string
  hlsUrl: string
  flvUrl: string
  recordings: string | null
}

/** Some settings are wrong; `problems` names every one of them. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`wrong settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Reads the settings from an environment. Throws a `ConfigError` that lists all problems at once. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const known = Object.keys(Settings.properties)
  const given: Record<string, unknown> = Object.fromEntries(
    known.flatMap((name) =>
      environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]]],
    ),
  )
  const validate = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true }).compile<Settings>(
    Settings,
  )
  if (!validate(given)) throw new ConfigError((validate.errors ?? []).map(describe))
  const { PUBLIC_URL, HUBBUB_CORS_ORIGIN, HUBBUB_TRUST_PROXY, HUBBUB_WEBHOOK_RETRY_SECONDS, ...settings } =
    given as unknown as Settings
  const problems = halfSet(settings)
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze({
    ...settings,
    trustedProxies: HUBBUB_TRUST_PROXY === 'true' ? 1 : Number(HUBBUB_TRUST_PROXY) || 0,
    otherMedia: otherMedia(settings),
    s3: s3Settings(settings),
    publicUrl: PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    corsOrigin:
      HUBBUB_CORS_ORIGIN.trim() === '*' ? true : HUBBUB_CORS_ORIGIN.split(',').map((origin) => origin.trim()),
    dataDir: resolve(settings.HUBBUB_DATA_DIR),
    webhookRetrySeconds: HUBBUB_WEBHOOK_RETRY_SECONDS.split(',').map(Number),
  })
}

/** What of the settings that only work together is missing. */
function halfSet(settings: Partial<Settings>): string[] {
  const problems: string[] = []
  if (settings.HUBBUB_MEDIA_RTMP_URL !== undefined && settings.HUBBUB_MEDIA_SECRET === undefined)
    problems.push('HUBBUB_MEDIA_RTMP_URL needs HUBBUB_MEDIA_SECRET')
  const count = (...names: (keyof Settings)[]) => names.filter((name) => settings[name] !== undefined).length
  if (count('LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET') % 3 !== 0)
    problems.push('LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET are set together')
  const s3 = count('S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY')
  if (s3 % 3 !== 0) problems.push('S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are set together')
  if (s3 === 0 && count('S3_ENDPOINT', 'S3_PREFIX', 'S3_FORCE_PATH_STYLE') > 0)
    problems.push('S3_ENDPOINT, S3_PREFIX and S3_FORCE_PATH_STYLE need S3_BUCKET')
  return problems
}

function s3Settings(settings: Partial<Settings> & Pick<Settings, 'S3_REGION'>): S3Settings | null {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return null
  const { S3_ENDPOINT: endpoint = null, S3_REGION: region, S3_PREFIX: folder } = settings
  const { S3_FORCE_PATH_STYLE: forcePathStyle = endpoint !== null } = settings
  const prefix = folder === undefined ? '' : `${folder.replace(/\/+$/, '')}/`
  return { endpoint, region, bucket, accessKeyId, secretAccessKey, prefix, forcePathStyle }
}

function otherMedia(settings: Partial<Settings>): OtherMedia | null {
  const { HUBBUB_MEDIA_RTMP_URL: rtmpUrl, HUBBUB_MEDIA_SECRET: secret } = settings
  if (rtmpUrl === undefined || secret === undefined) return null
  const { HUBBUB_MEDIA_HLS_URL: hlsUrl = '', HUBBUB_MEDIA_FLV_URL: flvUrl = '' } = settings
  return { rtmpUrl, secret, hlsUrl, flvUrl, recordings: settings.HUBBUB_MEDIA_RECORDINGS ?? null }
}

/** Names that look like settings of ours but are none: most likely misspelt, so the start says so. */
export function unknownSettings(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(environment)
    .map(([name]) => name)
    .filter((name) => name.startsWith('HUBBUB_') && !(name in Settings.properties))
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues
  return `${instancePath.slice(1)} ${message ?? 'is wrong'}${allowed ? ` (${allowed.join(', ')})` : ''}`
}
