import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = 'nginx'

/** nginx with its rtmp module, on loopback, with a private configuration. */
export interface Nginx {
  stop(): Promise<void>
}

/** Starts nginx so that it asks and tells `callbacks` whatever happens, records to FLV and plays HLS over HTTP. */
export async function startNginx(
  root: string,
  ports: { rtmp: number; http: number },
  callbacks: string,
): Promise<Nginx> {
  const [hls, record] = [join(root, 'hls'), join(root, 'record')]
  await mkdir(hls, { recursive: true })
  await mkdir(record, { recursive: true })
  const events = ['publish', 'publish_done', 'play', 'update', 'record_done']
  await writeFile(
    join(root, 'nginx.conf'),
    `load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
user root; worker_processes 1; daemon off; pid ${root}/pid; error_log ${root}/error.log info;
events {}
rtmp {
  notify_update_timeout 1s;
  server {
    listen 127.0.0.1:${ports.rtmp};
    application live {
      live on;
      hls on; hls_path ${hls}; hls_fragment 1s;
      record all; record_path ${record}; record_append on;
      ${events.map((event) => `on_${event} ${callbacks};`).join(' ')}
    }
  }
}
http {
  access_log off;
  client_body_temp_path ${root}/body; proxy_temp_path ${root}/proxy; fastcgi_temp_path ${root}/fastcgi;
  uwsgi_temp_path ${root}/uwsgi; scgi_temp_path ${root}/scgi;
  types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
  server { listen 127.0.0.1:${ports.http}; location / { root ${root}; } }
}
`,
  )
  const child = spawn(program, ['-p', root, '-c', join(root, 'nginx.conf')], { stdio: 'pipe' })
  await untilOpen(child, ports.rtmp)
  return {
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function untilOpen(child: ChildProcess, port: number): Promise<void> {
  let said = ''
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()))
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(50)
  }
  throw new Error(`nginx does not listen: ${said}`)
}
