import pg from 'pg'

/** What matters of a PostgreSQL server before data is trusted to it. */
export interface ServerFacts {
  major: number
  /** Whether a commit survives a crash of the machine. */
  fsync: boolean
}

/** Connects once and asks. Rejects when the server cannot be reached. */
export async function describeServer(url: string): Promise<ServerFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ version: string; fsync: string }>(
      "select current_setting('server_version_num') as version, current_setting('fsync') as fsync",
    )
    return { major: Math.floor(Number(rows[0]!.version) / 10_000), fsync: rows[0]!.fsync === 'on' }
  } finally {
    await client.end()
  }
}
