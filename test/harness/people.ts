import { afterAll } from 'vitest'
import type { TestClient } from './client.ts'
import { startTestServer, type TestServer } from './server.ts'

export interface People {
  server: TestServer
  alice: TestClient
  bob: TestClient
  carol: TestClient
  /** Holds `global-admin`. */
  admin: TestClient
}

/** For the head of a test file: a server, closed after its tests, with people signed in. */
export async function startWithPeople(): Promise<People> {
  const server = await startTestServer()
  afterAll(() => server.close())
  const [alice, bob, carol, admin] = await Promise.all([
    server.as('alice'),
    server.as('bob'),
    server.as('carol'),
    server.asAdmin(),
  ])
  return { server, alice, bob, carol, admin }
}
