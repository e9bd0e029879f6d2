import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Server {
  pid: number
  target: { port: number; path: string }
  stop: () => Promise<void>
}

/** Our gateway in its own process. */
export async function startGateway(): Promise<Server> {
  const child = fork(new URL('gateway-process.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { pid: child.pid ?? 0, target: { port, path: '/mqtt' }, stop: () => end(child) }
}

/** mosquitto with a WebSocket listener; undefined when it is not installed. */
export async function startMosquitto(): Promise<Server | undefined> {
  const [plain, port] = [await freePort(), await freePort()]
  // It does not start on WebSockets alone, and takes the address of a WebSocket listener only for one family.
  const config = `allow_anonymous true
max_queued_messages 0
log_type none
listener ${plain} 127.0.0.1
listener ${port} 127.0.0.1
socket_domain ipv4
protocol websockets
`
  return startPeer(['mosquitto', '/usr/sbin/mosquitto'], config, (path) => ['-c', path], {
    port,
    path: '/mqtt',
  })
}

/** nats-server with its MQTT gateway over WebSocket; undefined when it is not installed. */
export async function startNats(): Promise<Server | undefined> {
  const [client, mqtt, port] = [await freePort(), await freePort(), await freePort()]
  const config = `server_name: bench
listen: "127.0.0.1:${client}"
jetstream { store_dir: "$FOLDER" }
mqtt { listen: "127.0.0.1:${mqtt}" }
websocket { listen: "127.0.0.1:${port}", no_tls: true }
`
  return startPeer(['nats-server', '/usr/sbin/nats-server'], config, (path) => ['-c', path], {
    port,
    path: '/mqtt',
  })
}

async function startPeer(
  commands: string[],
  config: string,
  args: (configPath: string) => string[],
  target: Server['target'],
): Promise<Server | undefined> {
  const command = commands.find((name) => spawnSync(name, ['-h'], { stdio: 'ignore' }).error === undefined)
  if (!command) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'fan-out-'))
  const path = join(folder, 'server.conf')
  // Started by root, mosquitto reads this as a user of its own.
  await chmod(folder, 0o755)
  await writeFile(path, config.replaceAll('$FOLDER', folder))
  const child = spawn(command, args(path), { stdio: 'ignore' })
  const stop = async () => {
    await end(child)
    await rm(folder, { recursive: true, force: true })
  }
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    if (await accepts(target.port)) return { pid: child.pid ?? 0, target, stop }
    await sleep(50)
  }
  await stop()
  throw new Error(`${command} did not start`)
}

/** Ends a child process and waits for it. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
