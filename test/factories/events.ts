import type { TestAnswer, TestClient } from '../harness/client.ts'

type Fields = Record<string, unknown>

export function path(eventId: string, rest = ''): string {
  return `/api/v1/events/${eventId}${rest}`
}

/** A time so many hours from now, as it goes over the wire. */
export function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}

/** The body of an event of a community that starts tomorrow. */
export function eventBody(originId: string, fields: Fields = {}): Fields {
  return {
    title: 'An event',
    description: 'What happens',
    type: 'in_person',
    startTime: inHours(24),
    endTime: inHours(26),
    originType: 'community',
    originId,
    ...fields,
  }
}

/** Makes an event as this user; answers it as shown to them. */
export async function createEvent(
  client: TestClient,
  originId: string,
  fields: Fields = {},
): Promise<TestAnswer['body']> {
  const answer = await client.post('/api/v1/events', eventBody(originId, fields))
  if (answer.status !== 200) throw new Error(`creating an event: ${JSON.stringify(answer.body)}`)
  return answer.body.events[0]
}

/** Event ids of a list, and the whole answer. */
export async function queryEvents(
  client: TestClient,
  query: Fields = {},
  url = '/api/v1/events',
): Promise<{ ids: string[]; body: TestAnswer['body']; status: number }> {
  const { body, status } = await client.get(url, query)
  return { ids: (body.events ?? []).map((event: { eventId: string }) => event.eventId), body, status }
}

export function respond(client: TestClient, eventId: string, status = 'going'): Promise<TestAnswer> {
  return client.post(path(eventId, '/rsvp'), { status })
}
