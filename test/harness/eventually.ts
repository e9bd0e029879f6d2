/** Waits until `read` gives something: a non-empty list or a truthy value. Fails after `ms`. */
export async function eventually<T>(read: () => T | Promise<T>, ms = 15_000): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const value = await read()
    if (Array.isArray(value) ? value.length > 0 : value) return value
    if (performance.now() > deadline) throw new Error(`nothing came within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
