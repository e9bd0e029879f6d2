import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Log } from './platform/log.ts'
import { chooseMedia, type MediaChoice } from './platform/media/choose-media.ts'
import { configuredStage } from './platform/stage/livekit.ts'
import type { Stage } from './platform/stage/stage.ts'

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
