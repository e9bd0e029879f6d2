import { operatorError } from '../operator-error.ts'
import type { Log } from '../log.ts'
import { errorCode } from '../typed-error.ts'
import type { MediaEngine, MediaHooks } from './engine.ts'
import { createExternalMedia } from './external/external-media.ts'
import type { MediaSignal } from './external/signal.ts'
import { createMediaServer } from './media-server.ts'

/** Another RTMP server to use in place of the built-in one. */
export interface OtherServer {
  /** What it presents when it calls. */
  secret: string
  recordings: string | null
}

export interface MediaChoice {
  engine(hooks: MediaHooks): MediaEngine
  /** How the other server reports; undefined with the built-in one. */
  callbacks: { secret: string; report(signal: MediaSignal): Promise<string | null> } | undefined
}

/** The built-in media server, or another one that calls back. */
export function chooseMedia(
  common: { folder: string; log: Log; host: string; port: number; graceMs: number },
  other: OtherServer | null,
): MediaChoice {
  const { graceMs, ...rest } = common
  if (!other) {
    const engine = (hooks: MediaHooks) => {
      const media = createMediaServer({ ...rest, hooks, limits: { graceMs } })
      return { ...media, start: () => media.start().catch(explain) }
    }
    return { engine, callbacks: undefined }
  }
  function explain(error: unknown): never {
    if (errorCode(error) !== 'EADDRINUSE') throw error
    const address = `${common.host}:${common.port}`
    throw operatorError(`${address} is in use: set HUBBUB_RTMP_PORT to another port for live video`, error)
  }
  let report: ((signal: MediaSignal) => Promise<string | null>) | undefined
  return {
    engine(hooks) {
      const media = createExternalMedia({ ...common, recordings: other.recordings, hooks })
      report = media.report
      return media
    },
    callbacks: {
      secret: other.secret,
      report: async (signal) => (report ? report(signal) : 'The server is starting.'),
    },
  }
}
