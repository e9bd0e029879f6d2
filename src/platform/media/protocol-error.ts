import { errorKind } from '../typed-error.ts'

const kind = errorKind<'rtmpProtocol'>('RtmpProtocolError')

/** The peer broke the protocol or one of our limits; its connection is closed with this message in the log. */
export function protocolError(message: string): Error {
  return kind.make('rtmpProtocol', message)
}

/** Whether a caught error is the peer's fault. */
export function isProtocolError(error: unknown): error is Error {
  return kind.is(error)
}
