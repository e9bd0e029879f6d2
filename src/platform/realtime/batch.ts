/**
 * Frames waiting for one write, as a chain. Sockets that were given the same frames in the same order share
 * one chain, and so one joined buffer: a busy topic is copied together once, not once per subscriber.
 */
export interface Batch {
  readonly parent: Batch | undefined
  readonly chunk: Buffer
  /** Bytes of the whole chain up to here. */
  readonly bytes: number
  readonly length: number
  /** The batch made last by extending this one: one publish extends it the same way for everyone in a row. */
  latest: Batch | undefined
  joined: Buffer | undefined
}

const EMPTY = Buffer.alloc(0)

/** A batch with nothing in it. */
export function emptyBatch(): Batch {
  return { parent: undefined, chunk: EMPTY, bytes: 0, length: 0, latest: undefined, joined: EMPTY }
}

/** The batch with one more chunk; the same object for every caller that adds the same chunk in turn. */
export function extendBatch(batch: Batch, chunk: Buffer): Batch {
  if (batch.latest?.chunk === chunk) return batch.latest
  return (batch.latest = {
    parent: batch,
    chunk,
    bytes: batch.bytes + chunk.length,
    length: batch.length + 1,
    latest: undefined,
    joined: undefined,
  })
}

/** All chunks as one buffer, copied at most once. */
export function joinBatch(batch: Batch): Buffer {
  if (batch.joined) return batch.joined
  if (batch.length === 1) return (batch.joined = batch.chunk)
  const whole = Buffer.allocUnsafeSlow(batch.bytes)
  for (let link: Batch | undefined = batch; link?.parent; link = link.parent)
    whole.set(link.chunk, link.parent.bytes)
  return (batch.joined = whole)
}
