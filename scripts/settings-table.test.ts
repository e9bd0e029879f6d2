import { expect, it } from 'vitest'
import { Settings } from '../src/config.ts'
import { readPage } from './settings-table.ts'

it('documents every setting with its default', () => {
  const page = readPage()
  for (const [name, schema] of Object.entries(Settings.properties)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``))
    expect(row, `${name} is missing: npm run docs:settings`).toBeDefined()
    const { default: fallback, description = '' } = schema as { default?: unknown; description?: string }
    if (fallback !== undefined) expect(row).toContain(`\`${String(fallback)}\``)
    expect(row).toContain(description)
  }
})
