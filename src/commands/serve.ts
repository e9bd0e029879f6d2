import { readFile } from 'node:fs/promises'
import { createApp } from '../app.ts'
import { readConfig, unknownSettings } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { migrate } from '../platform/database/migrations.ts'
import { openConfiguredDatabase } from './database.ts'

const drainMs = 25_000

/** Starts the server and keeps it until SIGTERM or SIGINT, then drains and exits 0. */
export async function serve(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.HUBBUB_LOG_LEVEL, process.stdout.isTTY)
  for (const name of unknownSettings()) log.warn(`${name} is not a setting; is it misspelt?`)
  const version = await readVersion()
  const database = await openConfiguredDatabase(config)
  const stopping = stopSignal()
  try {
    const applied = await migrate(database.url)
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    const app = await createApp({ config, databaseUrl: database.url, log, version })
    const url = await app.listen()
    console.log(banner({ url, apiKey: app.network.apiKey, database: database.description, version }))
    const signal = await stopping
    log.info({ signal }, 'draining')
    await Promise.race([app.close(), timeout(drainMs)])
  } finally {
    await database.close()
  }
  process.exit(0)
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(signal))
  })
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function banner({ url, apiKey, database, version }: Record<string, string>): string {
  return `
  Hubbub ${version}

  Address   ${url}
  API key   ${apiKey}
  Docs      ${url}/docs   (OpenAPI: ${url}/openapi.json)
  Data      ${database}

  A token   npx hubbub token --user alice
  A demo    npm run seed
`
}
