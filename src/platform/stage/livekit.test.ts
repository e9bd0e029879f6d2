import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../config.ts'
import { apiKey, apiSecret, startLiveKitApi, type LiveKitApi } from '../../../test/stage/livekit-server.ts'
import { configuredStage } from './livekit.ts'

let liveKit: LiveKitApi
beforeAll(async () => {
  liveKit = await startLiveKitApi()
})
afterAll(() => liveKit.close())

const stageOf = (environment: Record<string, string>) => configuredStage(readConfig(environment))
const settings = () => ({
  LIVEKIT_URL: liveKit.url.replace('ws', 'http'),
  LIVEKIT_API_KEY: apiKey,
  LIVEKIT_API_SECRET: apiSecret,
})

it('is there only when it is set up, and then wholly', () => {
  expect(stageOf({})).toBeNull()
  expect(stageOf(settings())).toMatchObject({ url: liveKit.url, mixes: false })
  expect(stageOf({ ...settings(), LIVEKIT_EGRESS: 'true' })).toMatchObject({ mixes: true })
  const { LIVEKIT_URL } = settings()
  expect(() => stageOf({ LIVEKIT_URL })).toThrow(ConfigError)
  expect(() => stageOf({ ...settings(), LIVEKIT_URL: 'rtmp://host' })).toThrow(ConfigError)
})

it('says whether the server answers with the key', async () => {
  await stageOf(settings())!.check()
  const secret = 'another secret of more than thirty-two letters'
  await expect(stageOf({ ...settings(), LIVEKIT_API_SECRET: secret })!.check()).rejects.toThrow()
  await expect(stageOf({ ...settings(), LIVEKIT_URL: 'http://127.0.0.1:9' })!.check()).rejects.toThrow()
})

it('takes a stage that is gone for closed and empty, and other failures for what they are', async () => {
  const stage = stageOf(settings())!
  for (const method of ['DeleteRoom', 'RemoveParticipant', 'ListParticipants'])
    liveKit.broken.set(`RoomService/${method}`, 404)
  await stage.close('room')
  await stage.expel('room', 'a'.repeat(24))
  expect(await stage.publishing('room')).toEqual([])
  liveKit.broken.set('RoomService/DeleteRoom', 500)
  await expect(stage.close('room')).rejects.toThrow()
  liveKit.broken.clear()
})

it('counts only people who send something', async () => {
  const person = 'a'.repeat(24)
  liveKit.onStage.set('room', [person, `viewer:${person}:x`, 'EG_egress'])
  expect(await stageOf(settings())!.publishing('room')).toEqual([person])
})
