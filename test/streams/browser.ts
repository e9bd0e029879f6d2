import { access } from 'node:fs/promises'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A headless browser and a page that plays what it is told to with hls.js. */
export interface PlayerBrowser {
  /** Opens the player on an address. */
  play(address: string): Promise<Page>
  close(): Promise<void>
}

/** Starts Chromium. Fails with a plain message when there is none. */
export async function openPlayerBrowser(): Promise<PlayerBrowser> {
  const web = await servePlayer()
  const browser = await launch()
  const { port } = web.address() as AddressInfo
  return {
    async play(address) {
      const page = await browser.newPage({ viewport: { width: 320, height: 180 } })
      await page.goto(`http://127.0.0.1:${port}/?${encodeURIComponent(address)}`)
      return page
    },
    async close() {
      await browser.close()
      await new Promise((resolve) => web.close(resolve))
    },
  }
}

async function launch(): Promise<Browser> {
  for (const executablePath of places) {
    const isThere = await access(executablePath).then(
      () => true,
      () => false,
    )
    const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--disable-dev-shm-usage']
    if (isThere) return chromium.launch({ executablePath, args })
  }
  throw new Error('Chromium is not installed: the player test needs it (Debian: apt-get install chromium)')
}

const page = `<!doctype html><body style="margin:0"><video muted playsinline width=320 height=180></video>
<script src="/hls.js"></script><script>
const video = document.querySelector('video')
window.problems = []
const hls = new Hls()
hls.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && problems.push(details))
hls.on(Hls.Events.MANIFEST_PARSED, () => video.play())
hls.loadSource(decodeURIComponent(location.search.slice(1)))
hls.attachMedia(video)
</script>`

// A site of its own, as an app's would be: the media comes from another origin.
async function servePlayer(): Promise<Server> {
  const entry = createRequire(import.meta.url).resolve('hls.js')
  const script = await readFile(join(dirname(entry), 'hls.min.js'))
  const web = createServer((request, response) => {
    const isScript = request.url === '/hls.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  return web
}
