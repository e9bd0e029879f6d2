/** The peer broke the protocol or one of our limits; its connection is closed with this message in the log. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
}
