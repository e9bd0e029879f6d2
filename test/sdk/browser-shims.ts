import Module from 'node:module'
import { WebSocket } from 'ws'

/**
 * What the published clients expect of their runtime and Node lacks. Put in place before the client is
 * loaded; the client itself stays as it was published.
 */
export function installBrowserShims(): void {
  globalThis.Request = LenientRequest
  globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket
  // Without storage every read of the device id makes a new one, so a device could never be told again.
  Object.assign(globalThis, {
    FileReader: DataUrlReader,
    window: { localStorage: createStorage(), addEventListener() {}, removeEventListener() {} },
  })
  // Functions sent over as text may come from a compiler that wraps them to keep their names.
  Object.assign(globalThis, { __name: (fn: unknown) => fn })
  // Tests may say that they run on a phone.
  const reactNative = { Platform: { OS: 'web' } }
  Object.assign(globalThis, { reactNative })
  stubModules({
    'react-native': reactNative,
    '@react-native-async-storage/async-storage': {},
    '@react-native-community/netinfo': {},
  })
}

/** The 6.35 client reads the URL off the XMLHttpRequest of a browser; in Node there is none to read. */
class LenientRequest extends globalThis.Request {
  constructor(input: ConstructorParameters<typeof Request>[0] | undefined, init?: RequestInit) {
    super(input ?? 'http://not-recorded.invalid/', init)
  }
}

/** The 6.35 client shows a picture before it is uploaded. */
class DataUrlReader {
  result: string | null = null
  onload: (() => void) | null = null

  readAsDataURL(file: Blob): void {
    void file.arrayBuffer().then((bytes) => {
      this.result = `data:${file.type};base64,${Buffer.from(bytes).toString('base64')}`
      this.onload?.()
    })
  }
}

function createStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, String(value)),
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
  }
}

type Load = (request: string, ...rest: unknown[]) => unknown

function stubModules(stubs: Record<string, object>): void {
  const loader = Module as unknown as { _load: Load }
  const load = loader._load
  loader._load = (request, ...rest) => stubs[request] ?? load.call(Module, request, ...rest)
}
