import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeClip } from '../media/clips.ts'
import { startTestServer, type TestServer } from '../harness/server.ts'

export interface StreamWorld {
  server: TestServer
  folder: string
  /** Makes a clip in a folder that goes away with the world. */
  clip(seconds: number): Promise<string>
  close(): Promise<void>
}

/** A server and a place for clips. */
export async function openStreamWorld(environment: NodeJS.ProcessEnv = {}): Promise<StreamWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'hubbub-streams-'))
  const server = await startTestServer(environment)
  return {
    server,
    folder,
    clip: (seconds) => makeClip(join(folder, `${seconds}.flv`), { seconds }),
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
