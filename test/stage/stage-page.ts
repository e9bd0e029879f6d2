import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium, servePage } from '../harness/browser.ts'

/** Somebody on a stage, in a browser of their own with LiveKit's client. */
export interface Guest {
  page: Page
  /** Switches camera and microphone on: a made-up picture and tone. */
  send(): Promise<void>
  /** Who is seen: for each picture of somebody else, who it is and how far it has played. */
  sees(): Promise<{ identity: string; time: number }[]>
  /** Why the stage was left; undefined while there. */
  left(): Promise<number | undefined>
}

export interface StageBrowser {
  join(url: string, token: string): Promise<Guest>
  close(): Promise<void>
}

export async function openStageBrowser(): Promise<StageBrowser> {
  // Fetched by scripts/test-livekit.sh, beside the packages of the project.
  const entry = createRequire(join(process.env.NODE_PATH!, 'from.js')).resolve('livekit-client')
  const site = await servePage(html, await readFile(join(dirname(entry), 'livekit-client.umd.js')))
  const browser = await launchChromium('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream')
  return {
    async join(url, token) {
      const page = await browser.newPage({ viewport: { width: 640, height: 360 } })
      await page.goto(site.url)
      await page.evaluate(`join(${JSON.stringify(url)}, ${JSON.stringify(token)})`)
      return {
        page,
        send: () => page.evaluate('send()'),
        sees: () => page.evaluate('sees()'),
        left: () => page.evaluate('left'),
      }
    },
    async close() {
      await browser.close()
      await site.close()
    },
  }
}

const html = `<!doctype html><body style="margin:0">
<script src="/script.js"></script><script>
const { Room, RoomEvent } = LivekitClient
const room = new Room()
window.left = undefined
room.on(RoomEvent.Disconnected, (reason) => { left = reason ?? -1 })
room.on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
  const element = track.attach()
  element.dataset.identity = identity
  element.muted = true
  document.body.append(element)
})
window.join = (url, token) => room.connect(url, token)
window.send = async () => { await room.localParticipant.enableCameraAndMicrophone() }
window.sees = () => [...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0)
  .map(({ dataset, currentTime }) => ({ identity: dataset.identity, time: currentTime }))
</script>`
