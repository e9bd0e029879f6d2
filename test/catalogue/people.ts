import { ok } from '../factories/chat.ts'
import { accept, follow, removeFollower, setSocial, unfollow } from '../factories/follows.ts'
import { topicsOf } from './sdk-listener.ts'
import type { World } from './world.ts'

/** Everything that is told of people. */
export async function people(world: World): Promise<void> {
  const { server, admin, alice, bob, carol } = world
  await world.follow(...topicsOf.followers(alice))
  ok(await alice.put('/api/v3/users', { description: 'changed' }))
  ok(await bob.post('/api/v4/me/flags/alice'))
  ok(await bob.delete('/api/v4/me/flags/alice'))
  ok(await bob.post('/api/v4/me/flags/alice'))
  ok(await admin.delete('/api/v2/users/alice/flags'))
  ok(await follow(bob, 'alice'))
  ok(await unfollow(bob, 'alice'))
  ok(await follow(bob, 'alice'))
  ok(await removeFollower(alice, 'bob'))
  await setSocial(server, { isFollowWithRequestEnabled: true })
  ok(await follow(bob, 'alice'))
  ok(await accept(alice, 'bob'))
  ok(await follow(carol, 'alice'))
  ok(await removeFollower(alice, 'carol'))
  ok(await follow(carol, 'alice'))
  ok(await unfollow(carol, 'alice'))
  await setSocial(server, { isFollowWithRequestEnabled: false })
}

/** Those who have to go. */
export async function departures({ server, admin, follow: show }: World): Promise<void> {
  const [dave, erin] = await Promise.all([server.as('dave'), server.as('erin')])
  await show(...topicsOf.user(dave), ...topicsOf.user(erin))
  ok(await admin.post('/api/v2/users/ban', { userId: 'dave' }))
  ok(await admin.delete('/api/v4/users/erin'))
}
