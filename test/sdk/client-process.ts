import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { format } from 'node:util'
import { runInThisContext } from 'node:vm'
import { installBrowserShims } from './browser-shims.ts'
import { toPlain, toWireError } from './plain.ts'
import type {
  FromClient,
  SdkClientOptions,
  SdkModules,
  SdkScope,
  SdkVersion,
  ToClient,
  WireError,
} from './protocol.ts'

const packages: Record<SdkVersion, string> = {
  '6.35': '@amityco/ts-sdk',
  '7.20': '@amityco/ts-sdk-react-native',
}

let scope: SdkScope<SdkVersion> | undefined
/** The clients' errors do not say which request was refused. */
let lastRefusal: string | undefined

process.on('message', (message: ToClient) => {
  if (message.type === 'open') open(message.options)
  if (message.type === 'run') void run(message)
  // A turn later, so that rejections already on their way are reported first.
  if (message.type === 'flush') setTimeout(() => send({ type: 'flushed' }), 0)
})
process.on('disconnect', () => process.exit())
process.on('unhandledRejection', reportFailure)
process.on('uncaughtException', reportFailure)
subscribe('http.client.response.finish', (message) => {
  const { request, response } = message as { request: ClientRequest; response: IncomingMessage }
  if ((response.statusCode ?? 0) < 400) return
  lastRefusal = `${request.method} ${request.path} answered ${response.statusCode}`
  send({ type: 'logged', text: lastRefusal })
})
for (const level of ['log', 'info', 'warn', 'error'] as const) {
  console[level] = (...values: unknown[]) => send({ type: 'logged', text: format(...values) })
}

function send(message: FromClient): void {
  process.send?.(message)
}

function reportFailure(thrown: unknown): void {
  send({ type: 'failed', error: withRefusal(thrown) })
}

function withRefusal(thrown: unknown): WireError {
  return { ...toWireError(thrown), cause: lastRefusal }
}

function open({ version, apiKey, httpUrl, mqttUrl }: SdkClientOptions): void {
  installBrowserShims()
  const sdk = createRequire(import.meta.url)(packages[version]) as SdkModules[SdkVersion]
  // The slash matters: the clients glue some paths to the base URL as they are.
  const http = httpUrl.endsWith('/') ? httpUrl : `${httpUrl}/`
  const endpoints = { http, upload: http, mqtt: mqttUrl }
  const client = sdk.Client.createClient(apiKey, 'sg', { apiEndpoint: endpoints })
  reportSwallowedErrors(client)
  scope = {
    sdk,
    client,
    state: {},
    emit: (name, value) => send({ type: 'emitted', name, value: toPlain(value) }),
  }
  send({ type: 'opened' })
}

async function run({ id, source, args }: Extract<ToClient, { type: 'run' }>): Promise<void> {
  lastRefusal = undefined
  try {
    const fn = runInThisContext(`(${source})`, { filename: 'run-in-sdk-client' }) as (
      scope: unknown,
      args: unknown,
    ) => unknown
    send({ type: 'returned', id, value: toPlain(await fn(scope, args)) })
  } catch (thrown) {
    send({ type: 'threw', id, error: withRefusal(thrown) })
  }
}

interface DebugLog {
  __instance__: { enabled: boolean; log(topic: string, values: unknown[]): void }
}

/** The client catches what its event handlers throw and only tells its debug log, so listen there. */
function reportSwallowedErrors(client: object): void {
  const { __instance__: debug } = (client as { log: DebugLog }).log
  debug.enabled = true
  debug.log = (topic, values) => {
    if (topic.includes('> error')) reportFailure(values[0])
  }
}
