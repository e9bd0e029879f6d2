import type * as Sdk6 from '@amityco/ts-sdk'
import type * as Sdk7 from '@amityco/ts-sdk-react-native'

/** The published client builds a test can run: the web package and the React Native package. */
export interface SdkModules {
  '6.35': typeof Sdk6
  '7.20': typeof Sdk7
}

export type SdkVersion = keyof SdkModules

export interface SdkClientOptions<V extends SdkVersion = SdkVersion> {
  version: V
  apiKey: string
  /** Base URL of the REST interface, such as `http://127.0.0.1:8080`. */
  httpUrl: string
  /** Whole URL of the MQTT WebSocket, such as `ws://127.0.0.1:8080/mqtt`. */
  mqttUrl: string
}

/** What a function run inside the client process gets as its first argument. */
export interface SdkScope<V extends SdkVersion> {
  sdk: SdkModules[V]
  client: ReturnType<SdkModules[V]['Client']['createClient']>
  /** Streams a value to the test, where `seen` and `until` find it under this name. */
  emit(name: string, value: unknown): void
  /** Survives from one `run` to the next: unsubscribers, `onNextPage` functions, live objects. */
  state: Record<string, unknown>
}

export interface WireError {
  name: string
  message: string
  stack?: string
  code?: unknown
  cause?: string
}

export type ToClient =
  | { type: 'open'; options: SdkClientOptions }
  | { type: 'run'; id: number; source: string; args: unknown }
  | { type: 'flush' }

export type FromClient =
  | { type: 'opened' }
  | { type: 'returned'; id: number; value: unknown }
  | { type: 'threw'; id: number; error: WireError }
  | { type: 'emitted'; name: string; value: unknown }
  | { type: 'failed'; error: WireError }
  | { type: 'logged'; text: string }
  | { type: 'flushed' }
