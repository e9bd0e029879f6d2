import type { Locator, Page } from 'playwright-core'

/** What can be uploaded in a browser. */
export interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

/** What the kit calls by this name; its hidden file inputs bear the names of their buttons. */
export const part = (page: Page | Locator, name: string): Locator =>
  page.locator(`[data-testid="${name}"]:not([type=file])`)

export const shows = (page: Page | Locator, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

/** Text of which there is one, whole. */
export const exactly = (page: Page | Locator, text: string): Locator => page.getByText(text, { exact: true })

const dialog = (page: Page): Locator => page.getByRole('dialog').last()

/** Presses what opens the choice of files, and chooses. */
export async function choose(page: Page, button: Locator, files: Chosen[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await button.click()
  await (await choosing).setFiles(files)
}

/** The answer to a request of the page that is about to be made. */
export const answered = (page: Page, method: string, path: string) =>
  page.waitForResponse(
    (response) => response.request().method() === method && new URL(response.url()).pathname.endsWith(path),
  )

export const editor = (page: Page): Locator => page.locator('[contenteditable=true]').last()

type Section = 'newsfeed' | 'communities' | 'events'
export const goTo = (page: Page, section: Section): Promise<void> =>
  part(page, `*/community_sidebar/${section}_sidebar_menu_item`).click()

/** Goes to a community somebody is a member of. */
export async function openCommunity(page: Page, name: string): Promise<void> {
  await goTo(page, 'communities')
  await part(page, 'my-communities-tab').click()
  await exactly(page, name).last().click()
  await part(page, 'community_profile_page/community_header/community_name').waitFor()
}

/** Opens the composer of a new post of a community or, without one, of the own timeline. */
export async function compose(page: Page, text: string, community?: string): Promise<void> {
  await page.getByText("What's going on...").first().click()
  await exactly(dialog(page), community ?? 'My timeline').click()
  await editor(page).fill(text)
}

export async function attach(page: Page, type: 'image' | 'video', ...files: Chosen[]): Promise<void> {
  await choose(page, part(page, `post_composer_page/media_attachment/${type}_button`), files)
  // One more to come would be left out of the post.
  await part(page, 'post_composer_page/*/remove_media')
    .nth(files.length - 1)
    .waitFor()
}

/** Sends what is in the composer; resolves when the feed shows it. */
export async function post(page: Page, text: string): Promise<void> {
  await part(page, 'post_composer_page/*/create_new_post_button').last().click()
  await postOf(page, text).waitFor()
}

/** The post of the feed that shows this. */
export const postOf = (page: Page, text: string): Locator =>
  part(page, 'social_home_page/post_content/*').filter({ hasText: text })

/** Chooses from the menu of a post, comment, member or profile, and says yes where it asks. */
export async function chooseFrom(page: Page, menu: Locator, choice: string, yes?: string): Promise<void> {
  await menu.click()
  await exactly(page, choice).click()
  if (yes !== undefined) await page.getByRole('button', { name: yes, exact: true }).last().click()
}

/** Gives the reason of a report that is open. */
export async function report(page: Page, reason = 'Spam or scams'): Promise<void> {
  await exactly(page, reason).click()
  await page.getByRole('button', { name: 'Submit' }).click()
}

export const comment = (page: Page, text: string): Locator =>
  page.locator('[data-testid^="comment-"]').filter({ hasText: text })

/** Writes a comment, or the reply that was asked for, on the post that is open. */
export async function say(page: Page, text: string): Promise<void> {
  await editor(page).fill(text)
  const send = part(page, 'post_detail_page/comment_composer_bar/comment_composer_post')
  await send.last().click()
  await shows(part(page, 'post_detail_page/comment_tray_component/*').first(), text)
  // A reply is written in a composer of its own, which goes.
  await send.nth(1).waitFor({ state: 'hidden' })
}

/** Makes a poll in a community; resolves when the feed shows it. */
export async function makePoll(
  page: Page,
  community: string,
  question: string,
  options: string[],
): Promise<void> {
  await part(page, 'post_composer_page/poll_button/poll_button').click()
  await exactly(dialog(page), community).click()
  await dialog(page).getByRole('button', { name: 'Next', exact: true }).click()
  await editor(page).fill(question)
  for (const [i, option] of options.entries()) await part(page, `poll-option-${i + 1}`).fill(option)
  await part(page, 'poll-post-composer-page-submit-button').click()
  await postOf(page, question).waitFor()
}

const searchBar = 'social_global_search_page/top_search_bar/'

/** Searches for posts, communities or users; resolves when this is found. */
export async function find(
  page: Page,
  kind: 'posts' | 'communities' | 'users',
  keyword: string,
  found: string,
): Promise<void> {
  await part(page, `${searchBar}*/input`).fill(keyword)
  await part(page, searchBar + kind).click()
  const result = { posts: 'post', communities: 'community', users: 'user' }[kind]
  await shows(
    page.locator(`[data-testid^="social_global_search_page/${result}_search_result/"]`).first(),
    found,
  )
}

export async function endSearch(page: Page): Promise<void> {
  await part(page, `${searchBar}clear_button`).click()
  await page.keyboard.press('Escape')
  await part(page, `${searchBar}posts`).waitFor({ state: 'hidden' })
}

type Setting = 'edit_profile' | 'members' | 'post_permission' | 'story_setting'

/** Opens settings of the community that is open. */
export async function openSetting(page: Page, setting: Setting): Promise<void> {
  await part(page, 'community_profile_page/community_header/menu_button').click()
  await exactly(page, 'Community settings').click()
  await part(page, `community_setting_page/*/${setting}`).click()
}

export async function addMember(page: Page, displayName: string): Promise<void> {
  await part(page, 'community_membership_page/*/add-member-button').click()
  await exactly(part(page, 'community_add_member_page/*/*'), displayName).click()
  await part(page, 'community_add_member_page/*/add_member_button').click()
}
