import { firstPage, getAll, ok, uploadPicture, type Scenario } from './world.ts'

export const comments: Scenario = async ({ alice, bob, admin }) => {
  const made = ok(await alice.post('/api/v3/communities', { displayName: 'Talks', userIds: ['bob'] }))
  const target = { targetType: 'community', targetId: made.communities[0].communityId }
  const { postId } = ok(await alice.post('/api/v4/posts', { ...target, data: { text: 'Talk to me' } }))
    .posts[0]
  const on = { referenceType: 'post', referenceId: postId }
  const create = async (fields = {}): Promise<string> =>
    ok(await bob.post('/api/v3/comments', { ...on, data: { text: 'Nice, alice' }, ...fields })).comments[0]
      .commentId
  const attachments = [{ type: 'image', fileId: await uploadPicture(bob) }]
  const mentionees = [{ type: 'user', userIds: ['alice'] }]
  const parentId = await create({
    ...{ attachments, mentionees },
    metadata: { a: 1 },
    links: [{ url: 'https://example.com', index: 0, length: 4, renderPreview: false }],
  })
  const reply = await create({ parentId })
  const at = `/api/v3/comments/${parentId}`
  ok(await bob.put(at, { data: { text: 'Very nice' }, mentionees, attachments }))
  await getAll(alice, [
    at,
    ['/api/v3/comments', { ...on, ...firstPage, filterByParentId: true, sortBy: 'lastCreated' }],
    ['/api/v3/comments/list', { commentIds: [parentId, reply] }],
  ])
  ok(await alice.post(`${at}/flag`, { commentId: parentId, reason: 'Spam' }))
  await getAll(alice, [`${at}/isflagbyme`])
  ok(await alice.delete(`${at}/unflag`))
  ok(await alice.post(`${at}/flag`))
  ok(await admin.delete(`${at}/flags`))
  ok(await bob.delete(`/api/v3/comments/${reply}`))
  ok(await bob.delete(`/api/v4/comments/${await create()}?permanent=true`))
}

export const reactions: Scenario = async ({ alice, bob }) => {
  const { postId } = ok(await alice.post('/api/v4/posts', { data: { text: 'Like me' } })).posts[0]
  const on = { referenceType: 'post', referenceId: postId }
  ok(await bob.post('/api/v2/reactions', { ...on, reactionName: 'like' }))
  await getAll(alice, [
    ['/api/v2/reactions', { ...on, ...firstPage }],
    ['/api/v3/reactions', { ...on, reactionName: 'like', ...firstPage }],
    ['/api/v2/reactions/messages/most', { limit: 5, reactionName: 'like' }],
  ])
  ok(await bob.delete('/api/v2/reactions', { ...on, reactionName: 'like' }))
}
