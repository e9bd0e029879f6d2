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

/** Asked of a player that was let in: whether it may still watch. */
export type Stays = () => Promise<boolean>

/** All players of one stream, over HTTP-FLV and RTMP. */
export type Players = {
  addFlv(response: ServerResponse, stays: Stays): void
  addRtmp(link: PlayerLink, stays: Stays): PlayTarget
  send(tag: MediaTag): void
  count(): number
  /** Cuts off those that may not watch any more. */
  recheck(): Promise<void>
  end(): void
}

type Player = { stays: Stays; cut(): void; end(): void }

/** Time a player has to take the rest when the stream ends. */
const lastWordsMs = 10_000

/** Players who join get the codec settings and the newest pictures, then everything as it comes. */
export function createPlayers(facts: StreamFacts, limits: MediaLimits): Players {
  const flv = createFanout((tag) => tag.bytes, facts.configTags, limits)
  const rtmp = createFanout(encodeForRtmp, facts.configTags, limits)
  const players = new Map<PlayerSink, Player>()

  function hasVideo(): boolean {
    return facts.configTags().some((tag) => tag.kind === 'video')
  }

  function start(): { tags: MediaTag[]; joined: boolean } {
    const pictures = facts.gop.tags()
    return { tags: [...facts.configTags(), ...pictures], joined: pictures.length > 0 }
  }

  return {
    addFlv(response, stays) {
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
      response.on('close', () => {
        players.delete(response)
        flv.remove(response)
      })
      response.on('error', () => response.destroy())
      response.socket?.setNoDelay(true)
      flv.add(
        response,
        [flvFileHeader(has), metadataTag(facts.metadata()), ...tags.map((tag) => tag.bytes)],
        joined,
      )
      players.set(response, {
        stays,
        cut: () => response.destroy(),
        end() {
          response.end()
          setTimeout(() => response.destroy(), lastWordsMs).unref()
        },
      })
    },
    addRtmp(link, stays) {
      const { socket } = link
      return {
        begin() {
          const { tags, joined } = start()
          players.set(socket, {
            stays,
            cut() {
              rtmp.remove(socket)
              link.end('The stream cannot be watched.')
            },
            end: () => link.end('The stream has ended.'),
          })
          rtmp.add(socket, [metadataMessage(facts.metadata()), ...tags.map(encodeForRtmp)], joined)
        },
        closed() {
          players.delete(socket)
          rtmp.remove(socket)
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
    async recheck() {
      const check = async ({ stays, cut }: Player) => {
        if (!(await stays())) cut()
      }
      await Promise.all([...players.values()].map(check))
    },
    end() {
      flv.flush()
      rtmp.flush()
      for (const player of players.values()) player.end()
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
