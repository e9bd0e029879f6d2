import type { StreamUrl } from './schema.ts'

/** Where streams are published and watched. `{stream}` in a template stands for the stream's id. */
export interface StreamAddresses {
  /** What encoders and RTMP players connect to: `rtmp://host:port`. */
  rtmp(): string
  /** The server's own address: recordings are always there. */
  http(): string
  /** Whole addresses where another server plays, empty where it does not; null for those of this server. */
  hlsTemplate: string | null
  flvTemplate: string | null
}

export const appName = 'live'

/** Where an encoder publishes. Without a key nobody can: then only the server is named. */
export function streamerUrl({ rtmp }: StreamAddresses, streamId: string, key: string | null): StreamUrl {
  return key === null ? compose(rtmp(), appName, '', '') : compose(rtmp(), appName, streamId, `key=${key}`)
}

/** Where a stream is watched while it is live. */
export function watcherUrls(addresses: StreamAddresses, streamId: string, query: string) {
  const { rtmp, http, hlsTemplate, flvTemplate } = addresses
  return {
    flv:
      flvTemplate !== null
        ? fill(flvTemplate, streamId, query)
        : compose(http(), appName, `${streamId}.flv`, query),
    hls:
      hlsTemplate !== null
        ? fill(hlsTemplate, streamId, query)
        : compose(http(), appName, `${streamId}/index.m3u8`, query),
    rtmp: compose(rtmp(), appName, streamId, query),
  }
}

/** A picture of what is live now. */
export function thumbnailUrl({ http }: StreamAddresses, streamId: string, query: string): string {
  return compose(http(), appName, `${streamId}/thumbnail.jpg`, query).url
}

/** Where a file of a recording is. */
export function recordingUrl(
  { http }: StreamAddresses,
  streamId: string,
  name: string,
  query: string,
): string {
  return compose(http(), appName, `${streamId}/recordings/${name}`, query).url
}

function compose(origin: string, app: string, streamName: string, query: string): StreamUrl {
  const url = [origin, app, streamName].filter(Boolean).join('/') + (query && `?${query}`)
  return { url, components: { origin, appName: app, streamName, query } }
}

function fill(template: string, streamId: string, query: string): StreamUrl {
  const [, origin = '', path = ''] =
    /^(\w+:\/\/[^/]+)\/(.*)$/.exec(template.replaceAll('{stream}', streamId)) ?? []
  if (origin === '') return compose('', '', '', '')
  const parts = path.split('/')
  return compose(origin, parts.slice(0, -1).join('/'), parts.at(-1)!, query)
}
