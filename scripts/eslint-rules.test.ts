import { join } from 'node:path'
import { ESLint } from 'eslint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot, writeTree, type FixtureTree } from './fixture-tree.ts'

const syntax = 'no-restricted-syntax'

// What each file must be told; an empty list is a file that keeps the rules.
const cases: [file: string, text: string, rules: string[]][] = [
  ['src/sound.ts', `export const add = (a: number, b: number): number => a + b\n`, []],
  ['src/env.ts', `export const a = process.env.PORT\n`, [syntax]],
  ['src/env-taken.ts', `const { env } = process\nexport const a = env.PORT\n`, [syntax]],
  ['src/config.ts', `export const a = process.env.PORT\n`, []],
  ['src/main.ts', `console.log(1)\n`, []],
  ['src/time.ts', `export const a = [Date.now(), new Date(), new Date(0)]\n`, [syntax, syntax]],
  ['src/platform/clock.ts', `export const a = [Date.now(), new Date()]\n`, []],
  ['src/chance.ts', `export const a = [Math.random(), crypto.randomUUID()]\n`, [syntax, syntax]],
  ['src/uuid.ts', `import { randomUUID } from 'node:crypto'\nexport const a = randomUUID()\n`, [syntax]],
  ['src/platform/ids.ts', `import { randomBytes } from 'node:crypto'\nexport const a = randomBytes(3)\n`, []],
  [
    'src/floating.ts',
    `const a = () => Promise.resolve(1)\na()\n`,
    ['@typescript-eslint/no-floating-promises'],
  ],
  [
    'src/misused.ts',
    `export const a = [1].filter(async () => Promise.resolve(true))\n`,
    ['@typescript-eslint/no-misused-promises'],
  ],
  [
    'src/switches.ts',
    `export function f(a: 'x' | 'y'): number {\n  switch (a) {\n    case 'x':\n      return 1\n  }\n  return 2\n}\n`,
    ['@typescript-eslint/switch-exhaustiveness-check'],
  ],
  [
    'src/anything.ts',
    `export const f = (a: any): string => String(a)\n`,
    ['@typescript-eslint/no-explicit-any'],
  ],
  [
    'src/leak.ts',
    `export const f = (a: string): string => JSON.parse(a).b\n`,
    ['@typescript-eslint/no-unsafe-member-access', '@typescript-eslint/no-unsafe-return'],
  ],
  ['src/default.ts', `const a = 1\nexport default a\n`, [syntax]],
  ['src/default-as.ts', `const a = 1\nexport { a as default }\n`, [syntax]],
  ['some.config.ts', `export default 1\n`, []],
  ['src/long.ts', `export const a = 1\n${'\n'.repeat(400)}`, ['max-lines']],
  [
    'src/types.ts',
    `import { Kysely } from 'kysely'\nexport type A = Kysely<unknown>\n`,
    ['@typescript-eslint/consistent-type-imports'],
  ],
  ['src/loud.ts', `console.log(1)\n`, ['no-console']],
  ['src/later.ts', `// TODO: all of it\nexport const a = 1\n`, ['no-warning-comments']],
  [
    'src/ignored.ts',
    `// @ts-ignore because\nexport const a: number = 'x'\n`,
    ['@typescript-eslint/ban-ts-comment'],
  ],
  [
    'src/silenced.ts',
    `export const a = Math.random() // eslint-disable-line no-restricted-syntax\n`,
    ['hubbub/disable-reason'],
  ],
  [
    'src/reasoned.ts',
    `export const a = Math.random() // eslint-disable-line no-restricted-syntax -- jitter\n`,
    [],
  ],
  [
    'src/needless.ts',
    `export const a = 1 // eslint-disable-line no-console -- no more\n`,
    ['(unused directive)'],
  ],
  ['src/string-utils.ts', `export const a = 1\n`, ['hubbub/file-names']],
  ['src/helpers/name.ts', `export const a = 1\n`, ['hubbub/file-names']],
  ['src/userManager.ts', `export const a = 1\n`, ['hubbub/file-names']],
  [
    'src/a.test.ts',
    `import { describe, it, test } from 'vitest'\nit.skip('a', () => {})\ndescribe.only('b', () => {})\ntest.todo('c')\nit.runIf(true)('d', () => {})\nit('e', { skip: true }, () => {})\nit.concurrent.only('f', () => {})\nit('g', (context) => context.skip())\n`,
    Array.from({ length: 6 }, () => syntax),
  ],
  [
    'src/b.test.ts',
    `export const a = [Date.now(), process.env.PATH, JSON.parse('{}').b]\nconsole.log(a)\n`,
    [],
  ],
]

let tree: FixtureTree
const told = new Map<string, string[]>()

beforeAll(async () => {
  tree = writeTree(Object.fromEntries(cases.map(([file, text]) => [file, text])))
  const eslint = new ESLint({ cwd: tree.root, overrideConfigFile: join(projectRoot, 'eslint.config.js') })
  for (const { filePath, messages } of await eslint.lintFiles(['.'])) {
    const file = filePath.slice(tree.root.length + 1)
    told.set(
      file,
      messages
        .map(({ ruleId, message }) => ruleId ?? (/Unused/.test(message) ? '(unused directive)' : message))
        .sort(),
    )
  }
})
afterAll(() => tree.remove())

it.each(cases)('%s', (file, _text, rules) => {
  expect(told.get(file)).toEqual([...rules].sort())
})
