import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running PostgreSQL writes about itself into its folder. */
export interface PostmasterFile {
  pid: number
  port: number
  /** `starting`, `stopping`, `ready` or `standby`. */
  status: string
}

export const postmasterFileName = 'postmaster.pid'

/** Reads `postmaster.pid` of a cluster; null when there is none or it is not whole yet. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, postmasterFileName), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  return { pid, port: Number(lines[3] ?? 0), status: lines[7]?.trim() ?? '' }
}
