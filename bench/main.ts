// npm run bench [-- NAME] [--quick]: measures, and prints Markdown tables of ratios. Nothing here is a test.
import { benchApi } from './api.ts'
import { benchChat } from './chat.ts'
import { benchFeed } from './feed.ts'
import { benchWebhooks } from './webhooks.ts'

const quick = process.argv.includes('--quick')
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const benches: Record<string, { title: string; run: () => Promise<void> }> = {
  api: { title: 'Requests beside a bare Fastify on the same database', run: () => benchApi(quick) },
  feed: {
    title: 'A page of the feed as the network grows',
    run: () => benchFeed(quick),
  },
  chat: { title: 'Messages into channels, and on to listeners', run: () => benchChat(quick) },
  webhooks: {
    title: 'Webhook deliveries beside bare POSTs',
    run: () => benchWebhooks(quick),
  },
  media: {
    title: 'Live video beside nginx-rtmp',
    run: async () => void (await import('./media.ts')),
  },
  'fan-out': {
    title: 'Realtime fan-out beside mosquitto and nats-server',
    run: async () => void (await import('./fan-out.ts')),
  },
}

for (const name of names.length > 0 ? names : Object.keys(benches)) {
  const bench = benches[name]
  if (!bench) throw new Error(`no benchmark ${name}; there are ${Object.keys(benches).join(', ')}`)
  console.log(`\n## ${bench.title}\n`)
  await bench.run()
}
