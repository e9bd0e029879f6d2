import { access, constants, mkdir, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { readConfig, unknownSettings, type Config } from '../config.ts'
import { describeServer } from '../platform/database/server-facts.ts'
import { describePushServices, readPushServices } from '../platform/push/open-services.ts'
import { configuredStage } from '../platform/stage/livekit.ts'
import { openObjectStore } from '../platform/object-store/open-store.ts'
import { tryOut } from '../platform/object-store/try-out.ts'
import { openConfiguredDatabase } from './database.ts'

interface Check {
  name: string
  run(config: Config): Promise<string>
}

const checks: Check[] = [
  { name: 'settings', run: checkSettings },
  { name: 'data folder', run: checkDataDir },
  { name: 'database', run: checkDatabase },
  { name: 'push notifications', run: checkPush },
  { name: 'files', run: checkFiles },
  { name: 'port', run: ({ HOST, PORT }) => checkPort(HOST, PORT) },
  { name: 'live video', run: checkLiveVideo },
  { name: 'co-hosts', run: checkStage },
]

/** Checks what the server needs and says what to mend. Exits 1 when something is wrong. */
export async function doctor(): Promise<void> {
  const config = readConfig()
  for (const { name, run } of checks) {
    try {
      console.log(`ok    ${name}: ${await run(config)}`)
    } catch (error) {
      console.log(`wrong ${name}: ${(error as Error).message}`)
      process.exitCode = 1
    }
  }
}

async function checkSettings(): Promise<string> {
  const unknown = unknownSettings()
  if (unknown.length > 0) throw new Error(`not settings: ${unknown.join(', ')}`)
  return 'all known and well-formed'
}

async function checkDataDir({ dataDir }: Config): Promise<string> {
  await mkdir(dataDir, { recursive: true })
  await access(dataDir, constants.W_OK)
  const { bavail, bsize } = await statfs(dataDir)
  const freeGiB = (bavail * bsize) / 2 ** 30
  if (freeGiB < 1) throw new Error(`${dataDir} has only ${freeGiB.toFixed(2)} GiB free`)
  return `${dataDir} is writable, ${freeGiB.toFixed(1)} GiB free`
}

async function checkDatabase(config: Config): Promise<string> {
  const database = await openConfiguredDatabase(config, { join: true })
  try {
    const { major, fsync } = await describeServer(database.url)
    if (major < 15) throw new Error(`PostgreSQL ${major} is too old: 15 or newer is needed`)
    if (!fsync) throw new Error('fsync is off: a crash of the machine would lose data')
    return `${database.description}, PostgreSQL ${major}`
  } finally {
    await database.close()
  }
}

async function checkLiveVideo({ HOST, HUBBUB_RTMP_PORT, otherMedia }: Config): Promise<string> {
  if (otherMedia) return `${otherMedia.rtmpUrl} takes encoders in`
  return `encoders: ${await checkPort(HOST, HUBBUB_RTMP_PORT)}`
}

async function checkStage(config: Config): Promise<string> {
  const stage = configuredStage(config)
  if (!stage) return 'no LIVEKIT_URL: rooms have one host each'
  try {
    await stage.check()
  } catch (error) {
    throw new Error(`${config.LIVEKIT_URL} does not answer as LiveKit: ${(error as Error).message}`)
  }
  const mixing = stage.mixes ? 'its egress mixes co-hosts for players' : 'without egress: no recordings'
  return `${config.LIVEKIT_URL} answers, ${mixing}`
}

async function checkPort(host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'EADDRINUSE' ? `${host}:${port} is in use (by a running Hubbub?)` : error.message,
        ),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
  return `${host}:${port} is free`
}

async function checkFiles(config: Config): Promise<string> {
  await tryOut(await openObjectStore(config))
  const { s3 } = config
  if (!s3) return 'kept in the data folder'
  return `the bucket ${s3.bucket} at ${s3.endpoint ?? 'AWS'} takes, gives back and deletes`
}

async function checkPush(config: Config): Promise<string> {
  return describePushServices(await readPushServices(config))
}
