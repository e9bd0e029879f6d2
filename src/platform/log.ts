import { pino, type Logger } from 'pino'

export type Log = Logger

/** JSON lines on stdout, or a readable form on a terminal. Secrets never reach it: headers are not logged. */
export function createLog(level: string, pretty: boolean): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.accessToken', '*.authToken', '*.secret', '*.authorization'],
    ...(pretty && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
    }),
  })
}
