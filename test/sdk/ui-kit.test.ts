// needs: chromium ffmpeg
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { paintLandscape } from '../../src/platform/images/paint.ts'
import { openChannel, say as sendMessage } from '../factories/chat.ts'
import { createComment, createPost } from '../factories/comments.ts'
import { createCommunity, join } from '../factories/communities.ts'
import { uploadFile } from '../factories/files.ts'
import { inCommunity } from '../factories/posts.ts'
import { launchChromium } from '../harness/browser.ts'
import type { TestClient } from '../harness/client.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'
import { serveUiKit } from './ui-kit/bundle.ts'
import * as kit from './ui-kit/pages.ts'
import { part, shows } from './ui-kit/pages.ts'
import { watchProblems } from './ui-kit/problems.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

let server: TestServer
let site: Awaited<ReturnType<typeof serveUiKit>>
let browser: Browser
let noor: TestClient
let nightSky: string
let problems: ReturnType<typeof watchProblems>
let picture: kit.Chosen

beforeAll(async () => {
  ;[server, site, browser] = await Promise.all([startTestServer(), serveUiKit(), launchChromium()])
  problems = watchProblems(server.url)
  picture = { name: 'kite.jpg', mimeType: 'image/jpeg', buffer: await paintLandscape(200) }
  const mira = await server.as('mira')
  noor = await server.as('noor')
  nightSky = (await createCommunity(noor, { displayName: 'Night Sky' })).communityId
  await join(mira, nightSky)
  const attachments = [{ type: 'image', fileId: await upload(noor) }]
  await createPost(noor, { ...inCommunity(nightSky), data: { text: 'Saturn is really there' }, attachments })
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await server?.close()
})

async function upload(client: TestClient): Promise<string> {
  const sky = new Blob([new Uint8Array(await paintLandscape(40))], { type: 'image/jpeg' })
  return uploadFile(client, 'images', sky, 'sky.jpg')
}

/** The kit, signed in as Mira. */
async function open(show: 'social' | 'chat'): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  page.setDefaultTimeout(15_000)
  problems.watch(page)
  const user = { userId: 'mira', displayName: 'Mira', show }
  const at = { server: server.url, mqtt: server.mqttUrl, apiKey: server.apiKey }
  await page.goto(`${site.url}?${new URLSearchParams({ ...user, ...at }).toString()}`)
  return page
}

/** That a picture is painted, and not in one colour. */
async function isPainted(image: Locator): Promise<void> {
  await vi.waitFor(async () => {
    const { channels } = await sharp(await image.screenshot()).stats()
    expect(Math.max(...channels.slice(0, 3).map(({ stdev }) => stdev))).toBeGreaterThan(20)
  })
}

describe('the published UI kit', () => {
  let page: Page
  const feed = (name: string) => part(page, `social_home_page/post_content/${name}`)
  beforeAll(async () => void (page = await open('social')))

  it('shows the feed with its pictures', async () => {
    await shows(page, 'Saturn is really there')
    await isPainted(feed('post_media').locator('img'))
  })

  it('likes and comments', async () => {
    await feed('reaction_button').click()
    await feed('like_count').getByText('1').waitFor()
    await feed('comment_button').click()
    await kit.say(page, 'What a sight')
    await part(page, 'post_detail_page/*/back_button').click()
    await shows(page, '1 comment')
  })

  it('replies, edits, reports and deletes below a post', async () => {
    const post = await createPost(noor, { ...inCommunity(nightSky), data: { text: 'Rings tonight?' } })
    await createComment(noor, post.postId, { data: { text: 'From nine on' } })
    await page.reload()
    await kit
      .postOf(page, 'Rings tonight?')
      .getByTestId('social_home_page/post_content/comment_button')
      .click()
    const menu = (text: string) => kit.comment(page, text).getByTestId('*/*/menu_button')
    await kit.chooseFrom(page, menu('From nine on'), 'Report comment')
    await kit.report(page)
    await shows(page, 'Comment reported.')
    await kit.comment(page, 'From nine on').getByText('Reply').click()
    await kit.say(page, 'Too late for me')
    await kit.say(page, 'I shall come')
    await kit.chooseFrom(page, menu('I shall come'), 'Edit Comment')
    await kit.editor(page).fill('I shall be there')
    await part(page, '*/edit_comment_component/save_button').click()
    await shows(kit.comment(page, 'I shall be there'), '(edited)')
    await kit.chooseFrom(page, menu('I shall be there'), 'Delete Comment', 'Delete')
    await kit.comment(page, 'I shall be there').waitFor({ state: 'hidden' })
    await part(page, 'post_detail_page/*/back_button').click()
  })

  it('posts to a community, edits and deletes it', async () => {
    await kit.compose(page, 'Clouds, again', 'Night Sky')
    await kit.post(page, 'Clouds, again')
    const menu = (text: string) =>
      kit.postOf(page, text).getByTestId('social_home_page/post_content/menu_button')
    await kit.chooseFrom(page, menu('Clouds, again'), 'Edit post')
    await kit.editor(page).fill('Clouds, clearing')
    await page.getByRole('button', { name: 'Save' }).last().click()
    await shows(kit.postOf(page, 'Clouds, clearing'), '(edited)')
    await kit.chooseFrom(page, menu('Clouds, clearing'), 'Delete post', 'Delete')
    await kit.postOf(page, 'Clouds, clearing').waitFor({ state: 'hidden' })
  })

  it('posts pictures and a video, and shows them to who comes later', async () => {
    await kit.compose(page, 'Two of a kind')
    await kit.attach(page, 'image', picture, { ...picture, name: 'again.jpg' })
    await kit.post(page, 'Two of a kind')
    await kit.compose(page, 'It moves')
    const video = await readFile(new URL('../fixtures/media/clip.mp4', import.meta.url))
    await kit.attach(page, 'video', { name: 'clip.mp4', mimeType: 'video/mp4', buffer: video })
    await kit.post(page, 'It moves')
    await page.reload()
    await shows(kit.postOf(page, 'Two of a kind'), '1/2')
    const media = kit.postOf(page, 'It moves').getByTestId('social_home_page/post_content/post_media')
    await isPainted(media.locator('img'))
    await media.click()
    await page.waitForFunction("document.querySelector('video')?.currentTime > 0")
    await page.keyboard.press('Escape')
  })

  it('makes a poll, shows the votes of others and votes', async () => {
    await kit.makePoll(page, 'Night Sky', 'Which planet?', ['Mars', 'Venus'])
    const { body } = await noor.get('/api/v4/me/global-feeds')
    const [{ pollId, answers }] = body.polls
    const voted = await noor.post(`/api/v3/polls/${pollId}/votes`, { answerIds: [answers[0].id] })
    expect(voted.status).toBe(200)
    await page.reload()
    const poll = kit.postOf(page, 'Which planet?')
    await shows(poll, '1 vote')
    await kit.exactly(poll, 'Venus').click()
    await part(poll, 'poll-vote-button').click()
    await shows(poll, 'Voted by you')
    await shows(poll, '2 votes')
  })

  it('finds posts, communities and people', async () => {
    await kit.find(page, 'posts', 'Saturn', 'Saturn')
    await kit.find(page, 'communities', 'Night', 'Night Sky')
    await kit.find(page, 'users', 'noo', 'noor')
    await kit.endSearch(page)
  })

  it('follows a person from their profile, and blocks them', async () => {
    await feed('username').getByText('noor').first().click()
    await part(page, 'user-profile-follow-button').click()
    const followers = part(page, 'user_profile_page/user_profile_header/user_follower')
    await followers.getByText('1', { exact: true }).waitFor()
    await kit.chooseFrom(page, part(page, 'user_profile_page/*/menu_button'), 'Block user', 'Block')
    await shows(page, "You've blocked this user")
    await kit.exactly(page, 'Unblock').click()
    await page.getByRole('button', { name: 'Unblock' }).last().click()
    await part(page, 'user-profile-follow-button').waitFor()
  })

  it('makes a community and a story in it', async () => {
    await kit.goTo(page, 'communities')
    await part(page, 'create-community-button').click()
    await page.getByPlaceholder('Name your community').fill('Kite Flyers')
    await part(page, 'community_setup_page/*/community_create_button').click()
    await shows(page, 'Successfully created community!')
    await kit.choose(page, part(page, '*/story_tab_component/create_new_story_button'), [picture])
    // Pressing the community plays its stories; the kit comes to grief over one still on its way.
    const posted = kit.answered(page, 'POST', '/stories')
    await part(page, 'create_story_page/*/share_story_button').click()
    await posted
    await part(page, '*/story_tab_component/*').locator('button').first().click()
    await part(page, 'creator_display_name').getByText('Mira').waitFor()
    await part(page, 'image_view').waitFor()
    await page.reload()
  })

  it('adds, promotes and removes members', async () => {
    await kit.openCommunity(page, 'Kite Flyers')
    await kit.openSetting(page, 'members')
    await kit.addMember(page, 'noor')
    const member = part(page, 'community_membership_page/*/member-noor').first()
    const menu = part(member, 'community_membership_page/*/menu_button')
    await kit.chooseFrom(page, menu, 'Promote to moderator')
    await part(member, '*/*/moderator_badge').waitFor()
    await kit.chooseFrom(page, menu, 'Demote to member')
    await part(member, '*/*/moderator_badge').waitFor({ state: 'hidden' })
    await kit.chooseFrom(page, menu, 'Remove from community')
    await member.waitFor({ state: 'hidden' })
  })

  it('reviews the posts of a community', async () => {
    await kit.openCommunity(page, 'Kite Flyers')
    await kit.openSetting(page, 'post_permission')
    await part(page, 'post-permission-admin-review-option').click()
    await part(page, 'post-permission-save-button').last().click()
    await shows(page, 'Successfully updated community profile.')
    const { body } = await noor.get('/api/v3/communities', { keyword: 'Kite' })
    const [{ communityId }] = body.communities
    await join(noor, communityId)
    await createPost(noor, { ...inCommunity(communityId), data: { text: 'Mine is red' } })
    await shows(page, '1 post requires approval')
    await page.getByText('Pending requests').click()
    await shows(page, 'Mine is red')
    await page.getByRole('button', { name: 'Accept' }).click()
    await shows(page, 'No pending posts')
    await part(page, 'pending_request_page/*/back_button').click()
    await shows(page, 'Mine is red')
  })

  it('marks the notification tray when there is something new, and shows it', async () => {
    const mark = part(page, 'notification-red-dot-sidebar')
    await page.reload()
    await mark.waitFor()
    await part(page, '*/community_sidebar/notification_tray_button').click()
    await shows(part(page, 'notification_tray_page/*/*'), 'noor')
    await page.keyboard.press('Escape')
    await mark.waitFor({ state: 'hidden' })
  })

  it('sends messages and shows those of others as they come', async () => {
    const { channelId } = await openChannel(noor, { displayName: 'Stargazers' }, await server.as('mira'))
    const chat = await open('chat')
    await kit.exactly(chat, 'Stargazers').click()
    await kit.editor(chat).fill('Hello from the kit')
    await chat.getByLabel('Send message').click()
    await shows(chat, 'Write a message')
    await shows(chat, 'Hello from the kit')
    await sendMessage(noor, channelId, 'Live from Noor')
    await shows(chat, 'Live from Noor')
    const { body } = await noor.get('/api/v3/messages', { channelId })
    expect(body.messages.map((message: { data: { text: string } }) => message.data.text)).toEqual([
      'Hello from the kit',
      'Live from Noor',
    ])
  })

  it('met no refusal and no error on the way but those known', async () => {
    expect(await problems.unknown()).toEqual([])
  })
})
