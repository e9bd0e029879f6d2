import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSdkClient, type SdkClient } from './client.ts'
import type { SdkVersion } from './protocol.ts'

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 })

// Nothing listens there: these tests are about the process around the client.
const nowhere = { apiKey: 'key', httpUrl: 'http://127.0.0.1:9', mqttUrl: 'ws://127.0.0.1:9/mqtt' }

let opened: SdkClient[] = []
afterEach(async () => {
  await Promise.allSettled(opened.map((client) => client.close()))
  opened = []
})

async function open<V extends SdkVersion>(version: V): Promise<SdkClient<V>> {
  const client = await openSdkClient({ version, ...nowhere })
  opened.push(client)
  return client
}

describe.each([
  ['6.35', 'v6.35.3-cjs'],
  ['7.20', 'v7.20.0-cjs'],
] as const)('the %s client', (version, published) => {
  test('is the published one, and rejects with what it rejects with', async () => {
    const client = await open(version)
    const seen = await client.run(({ client }) => ({
      version: client.version,
      http: client.http.defaults.baseURL,
    }))
    expect(seen).toEqual({ version: published, http: 'http://127.0.0.1:9/' })
    await expect(client.login({ userId: 'alice' })).rejects.toThrow('ECONNREFUSED')
  })

  test('shares nothing with a second one of the same key', async () => {
    const [one, other] = await Promise.all([open(version), open(version)])
    await one.run(({ client, state }) => {
      client.userId = 'alice'
      state.note = 'mine'
    })
    expect(await one.run(({ client, state }) => [client.userId, state.note])).toEqual(['alice', 'mine'])
    expect(await other.run(({ client, state }) => [client.userId, state.note])).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('a client at work', () => {
  let client: SdkClient<'6.35'>
  beforeAll(async () => {
    client = await openSdkClient({ version: '6.35', ...nowhere })
  })
  afterAll(() => client?.close())

  test('run brings back data without functions, getters and circles', async () => {
    const value = await client.run(() => {
      const model: Record<string, unknown> = { id: 'a', at: new Date(0), list: [{ n: 1 }], method() {} }
      Object.defineProperty(model, 'linked', { enumerable: true, get: () => model })
      model.self = model
      return model
    })
    expect(value).toEqual({ id: 'a', at: new Date(0), list: [{ n: 1 }], self: '[circular]' })
  })

  test('run hands arguments over and awaits the result', async () => {
    const sum = await client.run(async (_, [a, b]) => Promise.resolve(a + b), [2, 3] as const)
    expect(sum).toBe(5)
  })

  test('run rejects with the error thrown inside, its code and its stack', async () => {
    const failing = client.run(function namedInTheTest() {
      throw Object.assign(new TypeError('no'), { code: 400400 })
    })
    await expect(failing).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no',
      code: 400400,
      stack: expect.stringContaining('namedInTheTest'),
    })
  })

  test('run gives up on a function that does not come back', async () => {
    const never = client.run(() => new Promise<void>(() => {}), undefined, { timeoutMs: 100 })
    await expect(never).rejects.toThrow('no answer from the function run within 100 ms')
  })

  test('until finds values sent before and after it is called', async () => {
    await client.run(({ emit }) => {
      emit('count', 1)
      setTimeout(() => emit('count', 2), 50)
    })
    expect(await client.until<number>('count', (count) => count === 1)).toBe(1)
    expect(await client.until<number>('count', () => true, { skip: 1 })).toBe(2)
    expect(client.seen('count')).toEqual([1, 2])
  })

  test('until tells the last value when none fits in time', async () => {
    await client.run(({ emit }) => emit('page', { data: ['only this'] }))
    const waiting = client.until('page', () => false, { timeoutMs: 50 })
    await expect(waiting).rejects.toThrow(/no 'page' that fits within 50 ms; 1 seen.*only this/s)
  })
})

describe('a failure nobody catches in the client', () => {
  test.each([
    ['rejection', () => void Promise.reject(new Error('left alone'))],
    [
      'exception',
      () =>
        void setTimeout(() => {
          throw new Error('left alone')
        }),
    ],
  ])('fails the wait and the close: %s', async (_, breakIt) => {
    const client = await open('6.35')
    await client.run(breakIt)
    await expect(client.until('nothing', () => true)).rejects.toThrow('left alone')
    await expect(client.close()).rejects.toMatchObject({
      stack: expect.stringContaining('run-in-sdk-client'),
    })
  })

  test('is seen although the client swallows what its event handlers throw', async () => {
    const client = await open('6.35')
    const swallowing = client.run(({ sdk, client }) => {
      sdk.CommunityRepository.onCommunityCreated(() => {})
      client.emitter.emit('community.created', { communities: null } as never)
    })
    await expect(swallowing).rejects.toThrow("null (reading 'map')")
    await expect(client.close()).rejects.toThrow("null (reading 'map')")
  })
})

describe('close', () => {
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  test('ends a process that never yields', async () => {
    const client = await open('6.35')
    const pid = await client.run(() => process.pid)
    const stuck = client.run(
      () => {
        for (;;);
      },
      undefined,
      { timeoutMs: 100 },
    )
    await expect(stuck).rejects.toThrow('within 100 ms')
    await client.close()
    expect(isAlive(pid)).toBe(false)
  })

  test('tells that the process ended by itself', async () => {
    const client = await open('6.35')
    const ending = client.run(() => process.exit(3))
    await expect(ending).rejects.toThrow('the client process ended with code 3')
    await expect(client.close()).rejects.toThrow('code 3')
  })
})
