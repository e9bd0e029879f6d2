import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createComment,
  createPost,
  listPosts,
  path,
  react,
  readPost,
  uploadPicture,
  uploadText,
} from '../../../test/factories/posts.ts'
import type { TestClient } from '../../../test/harness/client.ts'
import { startTestServer, type TestServer } from '../../../test/harness/server.ts'

let server: TestServer
let alice: TestClient
let bob: TestClient
let admin: TestClient
beforeAll(async () => {
  server = await startTestServer()
  alice = await server.as('alice')
  bob = await server.as('bob')
  admin = await server.asAdmin()
})
afterAll(() => server.close())

const image = (fileId: string) => ({ type: 'image', fileId })

describe('editing', () => {
  const edit = (client: TestClient, postId: string, fields: object, version = 'v4') =>
    client.put(path(postId, '', version), fields)
  const versions = async (postId: string) => (await alice.get(path(postId, '/versions'))).body.versions

  it('changes what is named, leaves the rest, and keeps what was said', async () => {
    const before = await createPost(alice, {
      data: { title: 'Owls', text: 'one' },
      tags: ['a'],
      metadata: { a: 1 },
      mentionees: [{ type: 'user', userIds: ['bob'] }],
    })
    const { status, body } = await edit(alice, before.postId, { data: { text: 'two' }, hashtags: ['New'] })
    expect(status).toBe(200)
    const [after] = body.posts
    expect(after).toEqual({
      ...before,
      data: { title: 'Owls', text: 'two' },
      hashtags: ['New'],
      editedAt: after.editedAt,
      updatedAt: after.updatedAt,
    })
    expect(after.editedAt > before.editedAt && after.updatedAt >= after.editedAt).toBe(true)
    expect(await versions(before.postId)).toMatchObject([
      { version: 1, data: { title: 'Owls', text: 'one' }, hashtags: [], tags: ['a'], editedBy: 'alice', editedAt: after.editedAt },
    ]) // prettier-ignore
    const cleared = await edit(
      alice,
      before.postId,
      { text: 'three', data: { title: null }, mentionees: [] },
      'v3',
    )
    expect(cleared.body.posts[0]).toMatchObject({ data: { text: 'three' }, mentionees: [], tags: ['a'] })
  })

  it('keeps the last ten versions, for its author and those who moderate', async () => {
    const { postId } = await createPost(alice, { data: { text: '0' } })
    for (let i = 1; i <= 12; i++) await edit(alice, postId, { data: { text: `${i}` } })
    const kept = await versions(postId)
    expect(kept.map((one: { data: { text: string } }) => one.data.text)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${11 - i}`),
    )
    expect(await bob.get(path(postId, '/versions'))).toMatchObject({ status: 403, body: { code: 400301 } })
    expect((await admin.get(path(postId, '/versions'))).status).toBe(200)
  })

  it('does not show as edited when told so, or when only its products change', async () => {
    const before = await createPost(alice)
    const answer = await alice.send('PUT', path(before.postId, '', 'v4'), {
      body: JSON.stringify({ data: { text: 'quietly' } }),
      headers: { 'content-type': 'application/json', 'preserve-edited-at': 'true' },
    })
    expect(answer.body.posts[0]).toMatchObject({ data: { text: 'quietly' }, editedAt: before.editedAt })
    const product = await edit(alice, before.postId, {
      pinnedProductId: 'p1',
      productTags: [{ productId: 'p1' }],
    })
    expect(product.body.posts[0]).toMatchObject({
      pinnedProductId: 'p1',
      productTags: [{ productId: 'p1' }],
      editedAt: before.editedAt,
    })
    expect(
      (await edit(alice, before.postId, { pinnedProductId: null })).body.posts[0].pinnedProductId,
    ).toBeNull()
    expect(await versions(before.postId)).toHaveLength(1)
  })

  it('replaces attachments in order; what stays attached stays the post it was', async () => {
    const [first, second] = [await uploadPicture(alice), await uploadPicture(alice)]
    const text = await uploadText(alice)
    const before = await createPost(alice, { attachments: [image(first), image(second)] })
    const [one, two] = before.children
    await react(bob, two)
    const { body } = await edit(alice, before.postId, {
      attachments: [image(second), { type: 'file', fileId: text }],
    })
    const [post] = body.posts
    expect(post.children).toEqual([two, expect.any(String)])
    expect(post).toMatchObject({ structureType: 'mixed', childrenNumber: 2 })
    const children = new Map(body.postChildren.map((child: { postId: string }) => [child.postId, child]))
    expect(children.get(two)).toMatchObject({ reactionsCount: 1, data: { fileId: second } })
    expect(children.get(post.children[1])).toMatchObject({ dataType: 'file', data: { fileId: text } })
    expect(await readPost(alice, one)).toMatchObject({ isDeleted: true })
    expect((await edit(alice, before.postId, { attachments: [], text: '' })).status).toBe(400)
    expect((await edit(alice, before.postId, { attachments: [] })).body.posts[0]).toMatchObject({
      children: [],
      structureType: 'text',
    })
  })

  it('gives something attached another file of its type', async () => {
    const { children } = await createPost(alice, { attachments: [image(await uploadPicture(alice))] })
    const [child] = children
    const fileId = await uploadPicture(alice)
    const { body } = await edit(alice, child, { data: { fileId } })
    expect(body.posts).toMatchObject([{ postId: child, data: { fileId }, dataType: 'image' }])
    expect((await edit(alice, child, { data: { fileId: await uploadText(alice) } })).status).toBe(400)
    expect((await edit(alice, child, { data: { thumbnailFileId: fileId } })).status).toBe(400)
    expect((await edit(alice, child, { data: { streamId: 's' } })).status).toBe(400)
  })

  it('refuses what is gone', async () => {
    const { postId } = await createPost(alice)
    await alice.delete(path(postId))
    expect(await edit(alice, postId, { text: 'x' })).toMatchObject({ status: 404, body: { code: 400400 } })
    expect((await edit(alice, 'unknown', { text: 'x' })).status).toBe(404)
  })
})

describe('deleting', () => {
  it('takes a post with all that is attached to it, and leaves it readable by its id', async () => {
    const before = await createPost(alice, { attachments: [image(await uploadPicture(alice))] })
    const answer = await alice.delete(`${path(before.postId, '', 'v4')}?permanent=false`)
    expect(answer.body).toEqual({ status: 'success', success: true, data: { success: true } })
    expect(await readPost(bob, before.postId)).toMatchObject({ isDeleted: true, data: before.data })
    expect(await readPost(bob, before.children[0])).toMatchObject({ isDeleted: true })
    expect((await react(bob, before.postId)).status).toBe(404)
    expect((await alice.delete(path(before.postId))).status).toBe(200)
  })

  it('takes something attached from its post', async () => {
    const attachments = [image(await uploadPicture(alice)), { type: 'file', fileId: await uploadText(alice) }]
    const { postId, children } = await createPost(alice, { attachments })
    await alice.delete(path(children[1]))
    expect(await readPost(alice, postId)).toMatchObject({
      isDeleted: false,
      children: [children[0]],
      structureType: 'image',
    })
  })

  it('leaves nothing that anybody wrote when it is for good, also after a soft delete', async () => {
    const fields = { data: { text: 'secret-1' }, hashtags: ['secret-2'], metadata: { a: 'secret-3' } }
    for (const softly of [false, true]) {
      const attachments = [image(await uploadPicture(alice))]
      const { postId, children } = await createPost(alice, { ...fields, attachments })
      await alice.put(path(postId), { text: 'secret-4' })
      await createComment(bob, postId, { data: { text: 'secret-5' } })
      await react(bob, postId, 'secret-6')
      await bob.post(path(postId, '/flag'), { reason: 'Others', detail: 'secret-7' })
      if (softly) await alice.delete(path(postId))
      expect((await alice.delete(`${path(postId)}?permanent=true`)).status).toBe(200)
      for (const id of [postId, ...children]) expect((await alice.get(path(id))).status).toBe(404)
      expect((await listPosts(alice, '/api/v3/posts/list', { postIds: [postId] })).ids).toEqual([])
      expect((await alice.delete(path(postId))).status).toBe(404)
    }
    const left: string[] = []
    for (const table of [
      'posts',
      'postVersions',
      'postHashtags',
      'comments',
      'reactions',
      'flags',
    ] as const) {
      const rows = await server.app.db.selectFrom(table).selectAll().execute()
      if (JSON.stringify(rows).includes('secret-')) left.push(table)
    }
    expect(left).toEqual([])
  })
})
