import type { ServerResponse } from 'node:http'
import { createFanout, type PlayerSink } from './fanout.ts'
import type { AmfObject } from './flv/amf0.ts'
import { encodeMetadata, metadataTag } from './flv/script.ts'
import { flvFileHeader, tagPayload, tagTypes, type MediaTag } from './flv/tag.ts'
import type { GopCache } from './gop-cache.ts'
import type { MediaLimits } from './options.ts'
import { chunkStreams, encodeMessage, messageTypes } from './rtmp/messages.ts'
import type { PlayerLink, PlayTarget } from './rtmp/session.ts'

/** What a player needs to know before its first frame. */
export type StreamFacts = {
  metadata: () => AmfObject
  configTags: () => MediaTag[]
  gop: GopCache
}

/** All players of one stream, over HTTP-FLV and RTMP. */
export type Players = {
  addFlv(response: ServerResponse): void
  addRtmp(link: PlayerLink): PlayTarget
  send(tag: MediaTag): void
  count(): number
  end(): void
}

/** Time a player has to take the rest when the stream ends. */
const lastWordsMs = 10_000

/** Players who join get the codec settings and the newest pictures, then everything as it comes. */
export function createPlayers(facts: StreamFacts, limits: MediaLimits): Players {
  const flv = createFanout((tag) => tag.bytes, facts.configTags, limits)
  const rtmp = createFanout(encodeForRtmp, facts.configTags, limits)
  const links = new Map<PlayerSink, PlayerLink>()

  function hasVideo(): boolean {
    return facts.configTags().some((tag) => tag.kind === 'video')
  }

  function start(): { tags: MediaTag[]; joined: boolean } {
    const pictures = facts.gop.tags()
    return { tags: [...facts.configTags(), ...pictures], joined: pictures.length > 0 }
  }

  return {
    addFlv(response) {
      const { tags, joined } = start()
      const kinds = new Set(facts.configTags().map((tag) => tag.kind))
      const has = {
        audio: kinds.has('audio') || kinds.size === 0,
        video: kinds.has('video') || kinds.size === 0,
      }
      // An endless body needs no chunked framing: the end of the connection is its end.
      response.removeHeader('transfer-encoding')
      response.writeHead(200, {
        'content-type': 'video/x-flv',
        'cache-control': 'no-store',
        connection: 'close',
      })
      response.on('close', () => flv.remove(response))
      response.on('error', () => response.destroy())
      response.socket?.setNoDelay(true)
      flv.add(
        response,
        [flvFileHeader(has), metadataTag(facts.metadata()), ...tags.map((tag) => tag.bytes)],
        joined,
      )
    },
    addRtmp(link) {
      return {
        begin() {
          const { tags, joined } = start()
          links.set(link.socket, link)
          rtmp.add(link.socket, [metadataMessage(facts.metadata()), ...tags.map(encodeForRtmp)], joined)
        },
        closed() {
          links.delete(link.socket)
          rtmp.remove(link.socket)
        },
      }
    },
    send(tag) {
      if (flv.size() + rtmp.size() === 0) return
      const joinable = tag.key || (tag.kind === 'audio' && !tag.config && !hasVideo())
      flv.send(tag, joinable)
      rtmp.send(tag, joinable)
    },
    count: () => flv.size() + rtmp.size(),
    end() {
      flv.flush()
      rtmp.flush()
      for (const sink of flv.sinks()) {
        sink.end()
        setTimeout(() => sink.destroy(), lastWordsMs).unref()
      }
      for (const link of links.values()) link.end('The stream has ended.')
    },
  }
}

function encodeForRtmp(tag: MediaTag): Buffer {
  return encodeMessage({
    chunkStream: chunkStreams[tag.kind],
    type: tagTypes[tag.kind],
    timestamp: tag.timestamp,
    messageStream: 1,
    payload: tagPayload(tag.bytes),
  })
}

function metadataMessage(fields: AmfObject): Buffer {
  return encodeMessage({
    chunkStream: chunkStreams.data,
    type: messageTypes.data,
    timestamp: 0,
    messageStream: 1,
    payload: encodeMetadata(fields),
  })
}
