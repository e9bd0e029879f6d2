import { encodeAmf0, type AmfObject, type AmfValue } from '../flv/amf0.ts'
import { chunkStreams, encodeMessage, messageTypes } from './messages.ts'

/** A command message: name, transaction, then its arguments. */
export function encodeCommand(messageStream: number, ...values: AmfValue[]): Buffer {
  return encodeMessage({
    chunkStream: chunkStreams.command,
    type: messageTypes.command,
    timestamp: 0,
    messageStream,
    payload: encodeAmf0(...values),
  })
}

/** An `onStatus` for a stream, e.g. `NetStream.Publish.Start`. */
export function encodeStatus(
  messageStream: number,
  level: 'status' | 'error',
  code: string,
  description: string,
): Buffer {
  return encodeCommand(messageStream, 'onStatus', 0, null, { level, code, description })
}

/** The answer to `connect`. */
export function encodeConnected(transaction: number): Buffer {
  const properties: AmfObject = { fmsVer: 'FMS/3,0,1,123', capabilities: 31 }
  const information: AmfObject = {
    level: 'status',
    code: 'NetConnection.Connect.Success',
    description: 'Connection succeeded.',
    objectEncoding: 0,
  }
  return encodeCommand(0, '_result', transaction, properties, information)
}

/** Splits `live/key?token=1` style names into the name and its parameters. */
export function splitQuery(text: string): { name: string; query: Record<string, string> } {
  const mark = text.indexOf('?')
  if (mark < 0) return { name: text, query: {} }
  return { name: text.slice(0, mark), query: Object.fromEntries(new URLSearchParams(text.slice(mark + 1))) }
}
