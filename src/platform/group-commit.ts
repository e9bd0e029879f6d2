/** What became of one item of a batch. */
export type Outcome<Result> = { value: Result } | { error: unknown }

export interface GroupCommitOptions<Item, Result> {
  /** How many batches may run at once. Items of one key always take the same lane, so they keep their order. */
  lanes: number
  /** Most items of a batch. */
  maxBatch: number
  /**
   * Does a whole batch at once, in one transaction, and answers an outcome per item, in order. When it throws, nothing
   * of the batch was done.
   */
  run(items: Item[]): Promise<Outcome<Result>[]>
}

interface Waiting<Item, Result> {
  item: Item
  settle(outcome: Outcome<Result>): void
}

/**
 * Groups work that waits for the same thing: while a lane commits one batch, what arrives for it waits and then goes
 * together. Alone, an item starts at once; the more wait, the less each costs. Every caller gets an answer or error of
 * its own: a batch that fails as a whole is done again item by item, so that one bad item cannot take others with it.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>) {
  const { lanes, maxBatch, run } = options
  const queues: Waiting<Item, Result>[][] = Array.from({ length: lanes }, () => [])
  const busy: boolean[] = Array.from({ length: lanes }, () => false)

  async function attempt(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item))
      if (outcomes.length !== batch.length)
        throw new Error(`${outcomes.length} outcomes for ${batch.length} items`)
      batch.forEach(({ settle }, i) => settle(outcomes[i]!))
    } catch (error) {
      if (batch.length === 1) return batch[0]!.settle({ error })
      for (const one of batch) await attempt([one])
    }
  }

  async function drain(lane: number): Promise<void> {
    const queue = queues[lane]!
    busy[lane] = true
    while (queue.length > 0) await attempt(queue.splice(0, maxBatch))
    busy[lane] = false
  }

  return (key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const lane = laneOf(key, lanes)
      queues[lane]!.push({
        item,
        settle: (outcome) => ('value' in outcome ? resolve(outcome.value) : reject(outcome.error as Error)),
      })
      if (!busy[lane]) void drain(lane)
    })
}

function laneOf(key: string, lanes: number): number {
  let hash = 0
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  return Math.abs(hash % lanes)
}
