/**
 * Does something with each of what `find` answers, a batch of ids at a time, until it finds nothing more or the signal
 * aborts. What is done takes an id out of what is found next.
 */
export async function inBatches(
  signal: AbortSignal,
  find: () => Promise<string[]>,
  act: (id: string) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const ids = await find()
    if (ids.length === 0) return
    for (const id of ids) {
      if (signal.aborted) return
      await act(id)
    }
  }
}
