/** What a push service is given, whichever it is. */
export interface PushMessage {
  title: string
  body: string
  /** What the app's icon shows: all that is unread. */
  badge: number
  /** A later message of the same key takes the place of an earlier one that was not yet shown. */
  collapseKey: string
  /** What the app opens by it. */
  data: Record<string, string>
  /** How long the service may keep it for a device that is off. */
  ttlSeconds: number
}

/** What became of a message: `gone` means that the token will never work again. */
export type PushOutcome =
  | { kind: 'sent' }
  | { kind: 'gone'; reason: string }
  | { kind: 'retry'; reason: string; afterMs?: number }
  | { kind: 'refused'; reason: string }

export type PushVendor = 'apns' | 'fcm' | 'web'

/** One push service. Failing is an outcome, so `send` never rejects. */
export interface PushSender {
  vendor: PushVendor
  send(token: string, message: PushMessage): Promise<PushOutcome>
  close(): Promise<void>
}

/** How long any push service may take to answer, in ms. */
export const answerMs = 10_000

/** What every answer means that is not of one service only. */
export function outcomeOf(status: number, reason: string, retryAfter?: string | null): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone', reason }
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter)
    const afterMs = retryAfter && seconds > 0 ? { afterMs: Math.min(seconds, 3600) * 1000 } : {}
    return { kind: 'retry', reason, ...afterMs }
  }
  return { kind: 'refused', reason }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
