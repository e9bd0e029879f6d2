import { Logger } from 'graphile-worker'
import type { Log } from '../log.ts'

/** graphile-worker's log lines in ours. What it tells of every job is for debugging; what failed is a warning. */
export function workerLog(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    const failedJob = meta?.failure === true
    const line = failedJob ? message.split('\n')[0] : message
    const detail = meta?.error === undefined ? {} : { err: meta.error }
    const severity: string = level
    if (severity === 'error') log[failedJob ? 'warn' : 'error'](detail, `jobs: ${line}`)
    else if (severity === 'warning') log.warn(detail, `jobs: ${line}`)
    else log.debug(detail, `jobs: ${line}`)
  })
}
