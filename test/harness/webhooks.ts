import { createAssembler } from '../../src/kernel/envelope/assembler.ts'
import { registerSlots } from '../../src/kernel/envelope/shape.ts'
import { assembleEvents } from '../../src/kernel/outbox/assemble-events.ts'
import { findEventsAfter } from '../../src/kernel/outbox/store.ts'
import type { Slice } from '../../src/kernel/slice.ts'
import { fileSlots } from '../../src/modules/files/resource.ts'
import type { TestServer } from './server.ts'

/** What a webhook is told: its event name and its data. */
export interface WebhookCall {
  name: string
  data: any // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what the wire holds
}

/** Remembers where the outbox stands; answers how to present, for webhooks, what these slices told since. */
export async function followWebhooks(
  server: TestServer,
  slices: Slice[],
): Promise<() => Promise<WebhookCall[]>> {
  const { db } = server.app
  const slots = [...slices.map((slice) => slice.slots ?? {}), fileSlots(() => server.url)]
  const assemble = createAssembler(registerSlots(slots))
  const definitions = new Map(
    slices.flatMap((slice) => slice.events ?? []).map((event) => [event.name, event]),
  )
  await server.settled()
  let { position } = await db.selectFrom('outboxHead').select('position').executeTakeFirstOrThrow()
  return async () => {
    await server.settled()
    const calls: WebhookCall[] = []
    for (const stored of await findEventsAfter(db, position, 1000)) {
      position = stored.position
      const definition = definitions.get(stored.name)
      for (const form of definition?.webhooks ?? []) {
        const [data = {}] = await assembleEvents(assemble, db, [{ event: stored, form }])
        if (form.notification !== undefined) continue
        calls.push({ name: form.name, data: form.reshape?.(data, stored.subject) ?? data })
      }
    }
    return calls
  }
}
