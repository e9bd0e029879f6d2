import pg from 'pg'

/** The PostgreSQL of a test run. */
export interface TestPostgres {
  /** Of a database to manage others from. */
  adminUrl: string
  /** All databases of this run begin so. */
  prefix: string
  /** A migrated database without connections, to clone. */
  template: string
}

export function databaseUrl({ adminUrl }: TestPostgres, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Drops all databases of a run, whoever is connected. */
export async function dropDatabases({ adminUrl, prefix }: TestPostgres): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  })
}
