import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Settings } from '../src/config.ts'

const page = fileURLToPath(new URL('../docs/operate.md', import.meta.url))
const begin = '<!-- settings: written by `npm run docs:settings` -->'
const end = '<!-- /settings -->'

/** The settings as a Markdown table, from the schema that reads them. */
export function settingsTable(): string {
  const rows = Object.entries(Settings.properties).map(([name, schema]) => {
    const { default: fallback, description = '' } = schema as { default?: unknown; description?: string }
    return `| \`${name}\` | ${fallback === undefined ? '' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``} | ${description} |`
  })
  return ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The page with its table as it should be. */
export function pageWithTable(text: string): string {
  const [before] = text.split(begin)
  const [, after] = text.split(end)
  return `${before}${begin}\n\n${settingsTable()}\n\n${end}${after}`
}

export const readPage = () => readFileSync(page, 'utf8')

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, pageWithTable(readPage()))
