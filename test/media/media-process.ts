// A media server in a process of its own, for tests that kill it. Says its port, then its events, on stdout.
import { startMediaHost } from './media-host.ts'

const host = await startMediaHost(process.argv[2]!, { graceMs: 60_000 })
process.stdout.write(`port ${host.engine.rtmpPort()}\n`)
