import { eventBody } from '../../factories/events.ts'
import { firstPage, getAll, ok, type Scenario } from './world.ts'

export const events: Scenario = async ({ alice, bob }) => {
  const made = ok(await alice.post('/api/v3/communities', { displayName: 'Meetings', userIds: ['bob'] }))
  const originId = made.communities[0].communityId
  const create = async (): Promise<string> =>
    ok(await alice.post('/api/v1/events', eventBody(originId))).events[0].eventId
  const at = `/api/v1/events/${await create()}`
  ok(await alice.put(at, { title: 'A meeting' }))
  ok(await bob.post(`${at}/rsvp`, { status: 'going' }))
  await getAll(bob, [
    at,
    ['/api/v1/events', { ...firstPage, originId, originType: 'community', sortBy: 'startTime' }],
    ['/api/v1/events/me/rsvps', { ...firstPage, status: 'going' }],
    `${at}/me/rsvp`,
    [`${at}/rsvp`, { ...firstPage, status: 'going' }],
  ])
  ok(await bob.put(`${at}/rsvp`, { status: 'not_going' }))
  ok(await alice.delete(`/api/v1/events/${await create()}`))
}
