import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { createApp, type App } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { createTestDatabase } from './database.ts'
import { createClient, type TestClient } from './client.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A whole server on a cloned database and a free loopback port. */
export interface TestServer {
  app: App
  url: string
  mqttUrl: string
  apiKey: string
  /** HUBBUB_DATA_DIR. */
  dataDir: string
  /** A client signed in as this user, made on the first call. The user is named after their id. */
  as(userId: string): Promise<TestClient>
  /** A client signed in as a holder of `global-admin`. */
  asAdmin(): Promise<TestClient>
  /** Resolves when all events so far went through the sinks. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Starts a server for one test file; `environment` adds settings. Close it in `afterAll`. */
export async function startTestServer(
  environment: NodeJS.ProcessEnv = {},
  { pushGraceMs = 0 }: { pushGraceMs?: number } = {},
): Promise<TestServer> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'hubbub-test-'))
  const app = await createApp({
    config: readConfig({ PORT: '0', HUBBUB_RTMP_PORT: '0', HUBBUB_DATA_DIR: dataDir, ...environment }),
    databaseUrl: database.url,
    log: createLog(process.env.TEST_LOG_LEVEL ?? 'silent', false),
    version: 'test',
    drainMs: 0,
    pushGraceMs,
  })
  validateAnswers(app)
  const url = await app.listen()
  const clients = new Map<string, Promise<TestClient>>()
  const signIn = (userId: string) => {
    const client = clients.get(userId) ?? createClient(url, app.network.apiKey, userId)
    clients.set(userId, client)
    return client
  }
  return {
    app,
    url,
    mqttUrl: `${url.replace('http', 'ws')}/mqtt`,
    apiKey: app.network.apiKey,
    dataDir,
    as: signIn,
    asAdmin: () => signIn('admin'),
    settled: () => app.dispatcher.settled(),
    async close() {
      await app.close()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const answers = addFormats.default(new Ajv({ strict: false, allErrors: true }))

/** Every successful answer of every test is checked against the schema its route promises. */
function validateAnswers(app: App): void {
  app.http.addHook('preSerialization', async (request, reply, payload) => {
    const schema = (request.routeOptions.schema?.response as Record<string, object> | undefined)?.['200']
    if (!schema || reply.statusCode !== 200) return payload
    const validate = answers.compile(schema)
    // What counts is what goes over the wire: undefined members and Dates have become text by then.
    if (!validate(JSON.parse(JSON.stringify(payload)))) {
      const problems = answers.errorsText(validate.errors, { separator: '\n' })
      throw new Error(
        `${request.method} ${request.routeOptions.url} answered against its schema:\n${problems}`,
      )
    }
    return payload
  })
}
