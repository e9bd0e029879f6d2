// The floor: a bare Fastify with one statement a request on the same database. No sign-in, no rules, no envelope.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 })
// Its own table of the same columns and indexes, so that its rows cannot stand in the way of real ones.
await pool.query('create table if not exists bench_messages (like messages including all)')

const app = Fastify()
const channelId = process.env.CHANNEL_ID!
const creatorId = process.env.USER_ID!
let segment = 0

const statements = {
  insert: `insert into bench_messages
    (id, channel_id, message_feed_id, segment, creator_id, data_type, data, created_at, updated_at)
    values ($1, $2, $2, $3, $4, 'text', $5, $6, $6) returning *`,
  community: 'select * from communities where id = $1',
  feed: `select * from posts where parent_post_id is null and not is_deleted and feed_type = 'published'
    and target_id = $1 order by created_at desc, id desc limit 20`,
  messages: 'select * from messages where id = any($1)',
}
const run = (name: keyof typeof statements, values: unknown[]) =>
  pool.query({ name, text: statements[name], values }).then((result) => result.rows as unknown[])

app.post('/messages', async (request) => {
  const { data } = request.body as { data: unknown }
  const id = String(++segment).padStart(24, '0')
  return {
    messages: await run('insert', [id, channelId, segment, creatorId, JSON.stringify(data), new Date()]),
  }
})
app.get('/communities/:id', async (request) => {
  const { id } = request.params as { id: string }
  return { communities: await run('community', [id]) }
})
app.get('/feeds/:id', async (request) => {
  const { id } = request.params as { id: string }
  return { posts: await run('feed', [id]) }
})
app.get('/messages', async (request) => {
  const { ids } = request.query as { ids: string }
  return { messages: await run('messages', [ids.split(',')]) }
})

console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
