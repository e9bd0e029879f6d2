// needs: chromium
import sharp from 'sharp'
import type { Browser, Page, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { paintLandscape } from '../../src/platform/images/paint.ts'
import { openChannel, say } from '../factories/chat.ts'
import { createCommunity, join } from '../factories/communities.ts'
import { createPost, inCommunity } from '../factories/posts.ts'
import { launchChromium } from '../harness/browser.ts'
import type { TestClient } from '../harness/client.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { serveUiKit } from './ui-kit/bundle.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

let server: TestServer
let kit: Awaited<ReturnType<typeof serveUiKit>>
let browser: Browser
let noor: TestClient
/** What a page must not show: refused requests and errors nobody caught. */
const problems: (string | Promise<string>)[] = []

beforeAll(async () => {
  ;[server, kit, browser] = await Promise.all([startTestServer(), serveUiKit(), launchChromium()])
  const mira = await server.as('mira')
  noor = await server.as('noor')
  const { communityId } = await createCommunity(noor, { displayName: 'Night Sky' })
  await join(mira, communityId)
  const attachments = [{ type: 'image', fileId: await upload(noor) }]
  const data = { text: 'Saturn is really there' }
  await createPost(noor, { ...inCommunity(communityId), data, attachments })
})
afterAll(async () => {
  await browser?.close()
  await kit?.close()
  await server?.close()
})

async function upload(client: TestClient): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(await paintLandscape(40))], { type: 'image/jpeg' }), 'sky.jpg')
  return (await client.send('POST', '/api/v4/images', { body: form })).body[0].fileId
}

/** The kit, signed in as Mira. */
async function open(show: 'social' | 'chat'): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(15_000)
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('response', (response) => {
    if (response.url().startsWith(server.url) && response.status() >= 400) problems.push(refusal(response))
  })
  const user = { userId: 'mira', displayName: 'Mira', show }
  const at = { server: server.url, mqtt: server.mqttUrl, apiKey: server.apiKey }
  await page.goto(`${kit.url}?${new URLSearchParams({ ...user, ...at }).toString()}`)
  return page
}

async function refusal(response: Response): Promise<string> {
  const request = response.request()
  return `${request.method()} ${request.url()} ${request.postData()}: ${await response.text()}`
}

const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

describe('the published UI kit', () => {
  let page: Page
  beforeAll(async () => void (page = await open('social')))

  it('shows the feed with its pictures', async () => {
    await shows(page, 'Saturn is really there')
    const picture = page.getByTestId('social_home_page/post_content/post_media').locator('img')
    const { channels } = await sharp(await picture.screenshot()).stats()
    expect(Math.max(...channels.slice(0, 3).map(({ stdev }) => stdev))).toBeGreaterThan(20)
  })

  it('likes and comments', async () => {
    await page.getByTestId('social_home_page/post_content/reaction_button').click()
    await page.getByTestId('social_home_page/post_content/like_count').getByText('1').waitFor()
    await page.getByTestId('social_home_page/post_content/comment_button').click()
    await page.locator('[contenteditable=true]').last().fill('What a sight')
    await page.getByTestId('post_detail_page/comment_composer_bar/comment_composer_post').click()
    await page.getByTestId('comment-0').getByText('What a sight').waitFor()
    await page.getByTestId('post_detail_page/*/back_button').click()
    await shows(page, '1 comment')
  })

  it('posts to a community', async () => {
    await page.getByText("What's going on...").click()
    await page.getByTestId('post-target-community-item').click()
    await page.locator('[contenteditable=true]').last().fill('Clouds, again')
    await page.getByTestId('post_composer_page/*/create_new_post_button').last().click()
    await page.getByTestId('social_home_page/newsfeed/*').getByText('Clouds, again').waitFor()
  })

  it('follows a person from their profile', async () => {
    await page.getByTestId('social_home_page/post_content/username').getByText('noor').click()
    await page.getByTestId('user-profile-follow-button').click()
    const followers = page.getByTestId('user_profile_page/user_profile_header/user_follower')
    await followers.getByText('1', { exact: true }).waitFor()
  })

  it('makes a community and a story in it', async () => {
    await page.getByTestId('*/community_sidebar/communities_sidebar_menu_item').click()
    await page.getByTestId('create-community-button').click()
    await page.getByPlaceholder('Name your community').fill('Kite Flyers')
    await page.getByTestId('community_setup_page/*/community_create_button').click()
    await shows(page, 'Successfully created community!')
    const choosing = page.waitForEvent('filechooser')
    await page.getByTestId('*/story_tab_component/create_new_story_button').click()
    const picture = { name: 'kite.jpg', mimeType: 'image/jpeg', buffer: await paintLandscape(200) }
    await (await choosing).setFiles(picture)
    // Pressing the community plays its stories; the kit comes to grief over one still on its way.
    const posted = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/stories'),
    )
    await page.getByTestId('create_story_page/*/share_story_button').click()
    await posted
    await page.getByTestId('*/story_tab_component/*').locator('button').first().click()
    await page.getByTestId('creator_display_name').getByText('Mira').waitFor()
    await page.getByTestId('image_view').waitFor()
  })

  it('sends messages and shows those of others as they come', async () => {
    const { channelId } = await openChannel(noor, { displayName: 'Stargazers' }, await server.as('mira'))
    const chat = await open('chat')
    await chat.getByText('Stargazers', { exact: true }).click()
    await chat.locator('[contenteditable=true]').fill('Hello from the kit')
    await chat.getByLabel('Send message').click()
    await shows(chat, 'Write a message')
    await shows(chat, 'Hello from the kit')
    await say(noor, channelId, 'Live from Noor')
    await shows(chat, 'Live from Noor')
    const { body } = await noor.get('/api/v3/messages', { channelId })
    expect(body.messages.map((message: { data: { text: string } }) => message.data.text)).toEqual([
      'Hello from the kit',
      'Live from Noor',
    ])
  })

  it('met no refusal and no error on the way', async () => {
    expect(await Promise.all(problems)).toEqual([])
  })
})
