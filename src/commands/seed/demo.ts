import { paintLandscape } from '../../platform/images/paint.ts'
import type { Answer, Person, SeedClient } from './client.ts'
import { chatter, comments, communities, people, postTexts, reactions } from './texts.ts'

/** One piece of the demo. Steps run in order; later ones use what earlier ones made. */
export interface Step {
  name: string
  run(): Promise<void>
}

// The same demo every time: choices follow from a counter, not from chance.
function chooser() {
  let turn = 0
  return <T>(list: readonly T[]): T => list[(turn = (turn * 7 + 3) % 9973) % list.length]!
}

/** The whole demo as a list of steps. */
export function planDemo(client: SeedClient): Step[] {
  const choose = chooser()
  const signedIn: Person[] = []
  const communityIds: string[] = []
  const posts: { id: string; communityId: string }[] = []
  const steps: Step[] = []
  const step = (name: string, run: () => Promise<void>) => steps.push({ name, run })

  for (const { userId, displayName } of people) {
    step(`${displayName} signs in`, async () => void signedIn.push(await client.signIn(userId, displayName)))
  }
  for (const [i, { displayName, description, tags }] of communities.entries()) {
    step(`community ${displayName}`, async () => {
      const founder = signedIn[i % signedIn.length]!
      const avatarFileId = await founder.upload(
        '/api/v4/images',
        `${displayName}.jpg`,
        await paintLandscape(i * 70),
      )
      const answer = await founder.post('/api/v3/communities', {
        displayName,
        description,
        tags,
        avatarFileId,
        isPublic: true,
      })
      const id = String(answer.communities![0]!.communityId)
      communityIds.push(id)
      for (const person of signedIn)
        if (person !== founder) await person.post(`/api/v3/communities/${id}/join`)
    })
  }
  for (const [i, text] of postTexts.entries()) {
    step(`post ${i + 1}`, async () => {
      const author = signedIn[i % signedIn.length]!
      const communityId = communityIds[i % communityIds.length]!
      const attachments =
        i % 3 === 0
          ? [
              {
                type: 'image',
                fileId: await author.upload(
                  '/api/v4/images',
                  `picture-${i}.jpg`,
                  await paintLandscape(i * 37),
                ),
              },
            ]
          : []
      const body = { targetType: 'community', targetId: communityId, data: { text }, attachments }
      posts.push({ id: firstId(await author.post('/api/v4/posts', body), 'posts', 'postId'), communityId })
    })
    step(`comments and reactions on post ${i + 1}`, async () => {
      const { id } = posts[i]!
      for (let n = 0; n < 3; n++) {
        const body = { referenceType: 'post', referenceId: id, data: { text: choose(comments) } }
        await choose(signedIn).post('/api/v3/comments', body)
      }
      for (let n = 0; n < 4; n++) {
        const body = { referenceType: 'post', referenceId: id, reactionName: choose(reactions) }
        await choose(signedIn).post('/api/v2/reactions', body)
      }
    })
  }
  for (const [name, lines] of Object.entries(chatter)) {
    step(`channel ${name}`, async () => {
      const owner = choose(signedIn)
      const userIds = signedIn.map((person) => person.userId)
      const channel = { type: 'community', displayName: name, userIds, isPublic: true }
      const channelId = firstId(await owner.post('/api/v3/channels', channel), 'channels', 'channelId')
      for (const text of lines) await choose(signedIn).post('/api/v3/messages', { channelId, data: { text } })
    })
  }
  return steps
}

function firstId(answer: Answer, key: string, id: string): string {
  return String(answer[key]?.[0]?.[id])
}
