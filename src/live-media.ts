import { join } from 'node:path'
import type { Config } from './config.ts'
import { operatorError } from './platform/embedded-postgres/operator-error.ts'
import type { Log } from './platform/log.ts'
import { chooseMedia, type MediaChoice } from './platform/media/choose-media.ts'
import { configuredStage } from './platform/stage/livekit.ts'
import type { Stage } from './platform/stage/stage.ts'
import { errorCode } from './platform/typed-error.ts'

/** The engines of live video as the settings name them. */
export interface LiveMedia extends MediaChoice {
  /** Where co-hosts meet; null where nobody set one up. */
  stage: Stage | null
  /** Where encoders and players go, as `StreamAddresses` of the slice of streams. */
  addresses: { rtmp(): string; http(): string; hlsTemplate: string | null; flvTemplate: string | null }
  graceMs: number
}

/** `baseUrl` and `rtmpPort` are known for certain only once the server listens. */
export function chooseLiveMedia(
  config: Config,
  { log, baseUrl, rtmpPort }: { log: Log; baseUrl(): string; rtmpPort(): number },
): LiveMedia {
  const { HOST: host, HUBBUB_RTMP_PORT: port, otherMedia: other } = config
  const graceMs = config.HUBBUB_STREAM_GRACE_SECONDS * 1000
  const folder = join(config.dataDir, 'live')
  const rtmpUrl = () => config.HUBBUB_RTMP_URL ?? `rtmp://${new URL(baseUrl()).hostname}:${rtmpPort()}`
  return {
    ...chooseMedia({ folder, log, host, port, graceMs }, other),
    stage: configuredStage(config),
    addresses: {
      http: baseUrl,
      rtmp: other ? () => other.rtmpUrl : rtmpUrl,
      hlsTemplate: other && other.hlsUrl,
      flvTemplate: other && other.flvUrl,
    },
    graceMs,
  }
}

/** Takes encoders in. Fails with an operator error when the port is in use. */
export async function startLiveMedia(config: Config, streaming: { start(): Promise<void> }): Promise<void> {
  try {
    await streaming.start()
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error
    const address = `${config.HOST}:${config.HUBBUB_RTMP_PORT}`
    throw operatorError(`${address} is in use: set HUBBUB_RTMP_PORT to another port for live video`, error)
  }
}
