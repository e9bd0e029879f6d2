import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeTag, flvFileHeader } from '../flv/tag.ts'
import { openRecorder, type Checkpoint } from './recorder.ts'
import { repairFlv } from './repair.ts'

let folder: string
let path: string
const tags = [
  encodeTag(9, 10, Buffer.alloc(2_000, 1)),
  encodeTag(8, 30, Buffer.alloc(100, 2)),
  encodeTag(9, 50, Buffer.alloc(1_500_000, 3)),
]
const whole = Buffer.concat([flvFileHeader({ audio: true, video: true }), ...tags])

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repair-'))
  path = join(folder, 'source.flv')
})
afterAll(() => rm(folder, { recursive: true }))

test('a whole file is left as it is', async () => {
  await writeFile(path, whole)
  expect(await repairFlv(path)).toEqual({ bytes: whole.length, cut: 0, last: 50 })
  expect((await readFile(path)).equals(whole)).toBe(true)
})

test('a file cut anywhere keeps exactly its whole tags', async () => {
  const ends = [13, 13 + tags[0]!.length, 13 + tags[0]!.length + tags[1]!.length, whole.length]
  const cuts = [
    13,
    14,
    23,
    24,
    700,
    ends[1]! - 1,
    ends[1]!,
    ends[1]! + 5,
    ends[2]! - 4,
    ends[2]! + 11,
    whole.length - 1,
  ]
  for (const cut of cuts) {
    await writeFile(path, whole.subarray(0, cut))
    const expected = ends.filter((end) => end <= cut).at(-1)!
    expect(await repairFlv(path)).toMatchObject({ bytes: expected, cut: cut - expected })
    expect((await readFile(path)).equals(whole.subarray(0, expected))).toBe(true)
  }
})

test('zeros after a loss of power, a wrong size and nothing at all', async () => {
  await writeFile(path, Buffer.concat([whole, Buffer.alloc(5_000)]))
  expect(await repairFlv(path)).toEqual({ bytes: whole.length, cut: 5_000, last: 50 })
  const wrong = Buffer.from(whole)
  wrong.writeUInt32BE(7, 13 + tags[0]!.length + tags[1]!.length - 4)
  await writeFile(path, wrong)
  expect(await repairFlv(path)).toMatchObject({ bytes: 13 + tags[0]!.length, last: 10 })
  await writeFile(path, 'FLV')
  expect(await repairFlv(path)).toEqual({ bytes: 0, cut: 3, last: -1 })
  expect(await repairFlv(join(folder, 'absent.flv'))).toEqual({ bytes: 0, cut: 0, last: -1 })
})

test('a checkpoint spares reading what is before it, unless the file is shorter', async () => {
  const bytes = 13 + tags[0]!.length + tags[1]!.length
  const damagedBefore = Buffer.from(whole)
  damagedBefore[13] = 0xff
  await writeFile(path, damagedBefore)
  expect(await repairFlv(path, { bytes, timestamp: 30 })).toEqual({ bytes: whole.length, cut: 0, last: 50 })
  await writeFile(path, whole.subarray(0, 2_100))
  expect(await repairFlv(path, { bytes, timestamp: 30 })).toMatchObject({ bytes: 13 + tags[0]!.length })
})

test('a recorder continues a file and its checkpoints say what is safe', async () => {
  await rm(path)
  const points: Checkpoint[] = []
  const handlers = {
    checkpoint: async (point: Checkpoint) => void points.push(point),
    drained: () => undefined,
    failed(error: Error) {
      throw error
    },
  }
  const first = await openRecorder(path, handlers)
  first.write(tags[0]!, 10)
  expect(first.pendingBytes()).toBe(13 + tags[0]!.length)
  await first.close()
  const second = await openRecorder(path, handlers)
  second.write(tags[1]!, 30)
  second.write(tags[2]!, 50)
  await second.close()
  expect((await readFile(path)).equals(whole)).toBe(true)
  expect(points).toEqual([
    { bytes: 13 + tags[0]!.length, timestamp: 10 },
    { bytes: whole.length, timestamp: 50 },
  ])
})
