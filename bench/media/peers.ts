import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A running media server. Processor time is summed over its processes. */
export interface MediaPeer {
  name: string
  rtmp: number
  /** Port for HTTP-FLV and HLS; 0 when the server has none of them over HTTP. */
  http: number
  pids: number[]
  /** Folder with the live playlists, when they are written to disk. */
  playlists: string
  stop: () => Promise<void>
}

/** The built-in server, with HLS and recording as always. */
export async function startBuiltIn(folder: string): Promise<MediaPeer> {
  const child = fork(new URL('server-process.ts', import.meta.url), [join(folder, 'built-in')], {
    execArgv: ['--import', 'tsx'],
  })
  const [ports] = (await once(child, 'message')) as [{ rtmp: number; http: number }]
  return {
    name: 'built-in',
    ...ports,
    pids: [child.pid ?? 0],
    playlists: '',
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** nginx with its rtmp module; null when either is not installed. `full` adds HLS and recording. */
export async function startNginx(folder: string, full: boolean): Promise<MediaPeer | null> {
  const program = '/usr/sbin/nginx'
  const module = '/usr/lib/nginx/modules/ngx_rtmp_module.so'
  if (
    !(await access(program)
      .then(() => access(module))
      .then(
        () => true,
        () => false,
      ))
  )
    return null
  const rtmp = await freePort()
  const root = join(folder, full ? 'nginx-full' : 'nginx')
  const [hls, record] = [join(root, 'hls'), join(root, 'record')]
  await mkdir(hls, { recursive: true })
  await mkdir(record, { recursive: true })
  const keep = full
    ? `hls on; hls_path ${hls}; hls_fragment 2s; hls_playlist_length 16s; record all; record_path ${record};`
    : ''
  await writeFile(
    join(root, 'nginx.conf'),
    `load_module ${module};
user root; worker_processes 1; daemon off; pid ${root}/pid; error_log ${root}/error.log error;
events {}
rtmp { server { listen 127.0.0.1:${rtmp}; chunk_size 60000; application live { live on; ${keep} } } }
`,
  )
  const child = spawn(program, ['-p', root, '-c', join(root, 'nginx.conf')], { stdio: 'ignore' })
  await untilOpen(rtmp)
  const master = child.pid ?? 0
  const children = (await readFile(`/proc/${master}/task/${master}/children`, 'utf8')).trim().split(' ')
  return {
    name: full ? 'nginx-rtmp, HLS and recording' : 'nginx-rtmp, relay only',
    rtmp,
    http: 0,
    pids: [master, ...children.map(Number)],
    playlists: full ? hls : '',
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/**
 * Processor time of the peer so far, in milliseconds: the scheduler's own count of each thread, in nanoseconds. The one
 * of whole processes (`/proc/PID/stat`) goes in steps of 10 ms, which hides what a player costs.
 */
export async function processorTime(peer: MediaPeer): Promise<number> {
  let nanoseconds = 0
  for (const pid of peer.pids) {
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const [ran] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ')
      nanoseconds += Number(ran)
    }
  }
  return nanoseconds / 1e6
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilOpen(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await sleep(50)
  }
  throw new Error(`nothing listens on port ${port}`)
}
