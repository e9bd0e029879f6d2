import { access } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Starts Chromium without a window. Fails with a plain message when there is none. */
export async function launchChromium(...more: string[]): Promise<Browser> {
  for (const executablePath of places) {
    const isThere = await access(executablePath).then(
      () => true,
      () => false,
    )
    const args = [
      '--no-sandbox',
      '--autoplay-policy=no-user-gesture-required',
      '--disable-dev-shm-usage',
      ...more,
    ]
    if (isThere) return chromium.launch({ executablePath, args })
  }
  throw new Error('Chromium is not installed: this test needs it (Debian: apt-get install chromium)')
}

/** A site with one page and one script, `/script.js`: an origin of its own, as an app's would be. */
export async function servePage(
  page: string,
  script: Buffer,
): Promise<{ url: string; close(): Promise<void> }> {
  const web = createServer((request, response) => {
    const isScript = request.url === '/script.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(web.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => web.close(() => resolve())),
  }
}
