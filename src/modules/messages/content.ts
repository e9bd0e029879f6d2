import { fail } from '../../kernel/errors.ts'
import { jsonBytes } from '../../kernel/schema.ts'
import type { DataType } from './schema.ts'

const maxTextLength = 20_000
const maxBytes = 100_000

/** What a message may say, whoever says it and wherever. Fails with `invalid`. */
export function requireContent(dataType: DataType, data: object, metadata: object): void {
  for (const key of ['text', 'caption']) {
    const text = (data as Record<string, unknown>)[key]
    if (text === undefined || dataType === 'custom') continue
    if (typeof text !== 'string') fail('invalid', `body/data/${key} must be string`)
    else if (text.length > maxTextLength)
      fail('invalid', `body/data/${key} is longer than ${maxTextLength} characters`)
  }
  if (jsonBytes(data) > maxBytes) fail('invalid', `body/data is over ${maxBytes} bytes`)
  if (jsonBytes(metadata) > maxBytes) fail('invalid', `body/metadata is over ${maxBytes} bytes`)
}
