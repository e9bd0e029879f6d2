import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium, servePage } from '../harness/browser.ts'

/** A headless browser and a page that plays what it is told to with hls.js. */
export interface PlayerBrowser {
  /** Opens the player on an address. */
  play(address: string): Promise<Page>
  close(): Promise<void>
}

export async function openPlayerBrowser(): Promise<PlayerBrowser> {
  const entry = createRequire(import.meta.url).resolve('hls.js')
  const site = await servePage(html, await readFile(join(dirname(entry), 'hls.min.js')))
  const browser = await launchChromium()
  return {
    async play(address) {
      const page = await browser.newPage({ viewport: { width: 320, height: 180 } })
      await page.goto(`${site.url}?${encodeURIComponent(address)}`)
      return page
    },
    async close() {
      await browser.close()
      await site.close()
    },
  }
}

const html = `<!doctype html><body style="margin:0"><video muted playsinline width=320 height=180></video>
<script src="/script.js"></script><script>
const video = document.querySelector('video')
window.problems = []
const hls = new Hls()
hls.on(Hls.Events.ERROR, (_, { details, fatal }) => fatal && problems.push(details))
hls.on(Hls.Events.MANIFEST_PARSED, () => video.play())
hls.loadSource(decodeURIComponent(location.search.slice(1)))
hls.attachMedia(video)
</script>`
