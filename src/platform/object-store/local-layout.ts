import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { checkKey } from './object-store.ts'

/**
 * Where a key lives below the store's folder: `<first segment>/<shard>/<the rest, '/' as '+'>`.
 * The shard (3 hex digits, 4,096 folders) is drawn from the second segment, which holds the id in our keys, so
 * folders stay small and everything that belongs to one id sits in one of them. Throws `badKey`.
 */
export function locate(key: string): { space: string; folder: string; file: string } {
  checkKey(key)
  const [space = '', id = '', ...rest] = key.split('/')
  return { space, folder: join(space, shardOf(id)), file: [id, ...rest].join('+') }
}

/** The key of a file in a top folder, the inverse of `locate`. */
export function keyOf(space: string, file: string): string {
  return `${space}/${file.replaceAll('+', '/')}`
}

/** What a listing must walk for a prefix: all, one top folder, or one shard of it. */
export function scopeOf(prefix: string): { space?: string; shard?: string } {
  const [space = '', id = '', ...rest] = prefix.split('/')
  if (!prefix.includes('/')) return {}
  return rest.length === 0 ? { space } : { space, shard: shardOf(id) }
}

function shardOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 3)
}
