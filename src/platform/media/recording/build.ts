import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { planRecording } from './plan.ts'
import { writeFlv } from './write-flv.ts'
import { writeHls } from './write-hls.ts'
import { writeMp4 } from './write-mp4.ts'

export type BuildRequest = { source: string; target: string }

/** File names below the target folder, and the length in seconds. Null when the source holds no media. */
export type BuiltRecording = {
  duration: number
  parts: number
  flv: string
  mp4: string[]
  m3u8: string
  segments: string[]
} | null

/** Makes all forms of a recording from its source. Starts over when a former attempt left files. */
export async function buildRecording({ source, target }: BuildRequest): Promise<BuiltRecording> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  const plan = await planRecording(source)
  if (plan.parts.length === 0) return null
  const numbered = (name: string, part: number, ending: string) =>
    `${name}${part > 1 ? `-${part}` : ''}.${ending}`
  const mp4 = plan.parts.map((_, index) => numbered('recording', index + 1, 'mp4'))
  const segments = plan.parts.map((_, index) => numbered('segments', index + 1, 'm4s'))
  await writeFlv(source, join(target, 'recording.flv'), plan)
  for (const [index, part] of plan.parts.entries()) await writeMp4(source, join(target, mp4[index]!), part)
  await writeHls(source, join(target, 'recording.m3u8'), (part) => join(target, segments[part - 1]!), plan)
  return {
    duration: (plan.end - plan.start) / 1000,
    parts: plan.parts.length,
    flv: 'recording.flv',
    mp4,
    m3u8: 'recording.m3u8',
    segments,
  }
}
