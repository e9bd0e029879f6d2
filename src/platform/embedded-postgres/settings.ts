/** Written into postgresql.conf when the cluster is made. An operator may change them there. */
export const initialSettings: Record<string, string> = {
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  random_page_cost: '1.1',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Short queries from one server: parallel workers would only take processors from other requests, and need more
  // of /dev/shm than containers have.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

const safe = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

// For data that no one will miss: the tests'.
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
}

/** Given on the command line at each start, so that no file can undo them. */
export function fixedSettings(port: number, durable: boolean): Record<string, string> {
  return {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Failed statements reach the caller, who logs what matters; their text may hold what people wrote.
    log_min_error_statement: 'panic',
    logging_collector: 'off',
    log_destination: 'stderr',
    ...(durable ? safe : fast),
  }
}

/** `-c name=value` for each setting. */
export function asArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
