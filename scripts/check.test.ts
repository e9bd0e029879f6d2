import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { gates, runGates, type Verdict } from './check.ts'
import { projectRoot, writeTree, type FixtureTree } from './fixture-tree.ts'

let tree: FixtureTree | undefined
afterEach(() => tree?.remove())

/** Runs a gate of this project on a small tree. */
function runOn(files: Record<string, string>, name: string): { passed: boolean; output: string } {
  tree = writeTree(files)
  const { command } = gates.find((gate) => gate.name === name)!
  const PATH = `${join(projectRoot, 'node_modules/.bin')}:${process.env.PATH}`
  const options = { cwd: tree.root, shell: true, encoding: 'utf8' as const, env: { ...process.env, PATH } }
  const { status, stdout, stderr } = spawnSync(command, options)
  return { passed: status === 0, output: stdout + stderr }
}

const started = { 'bin/hubbub.js': `import '../src/main.ts'\n` }

describe('gates on a small tree', () => {
  it.each([
    ['format', {}, { 'src/a.ts': `export const a = "x";\n` }, 'src/a.ts'],
    [
      'types',
      { 'src/a.ts': `export const a = 1\n` },
      { 'src/b.ts': `export const b: number = 'x'\n` },
      'src/b.ts(1,14)',
    ],
    [
      'dead-code',
      {
        ...started,
        'src/main.ts': `import { a } from './a.ts'\nconsole.log(a)\n`,
        'src/a.ts': `export const a = 1\n`,
      },
      { 'src/a.ts': `export const a = 1\nexport const unwanted = 2\n` },
      'unwanted',
    ],
    [
      'dead-code',
      { ...started, 'src/main.ts': `console.log(1)\n` },
      { 'src/forgotten.ts': `export const a = 1\n` },
      'src/forgotten.ts',
    ],
  ])('%s fails on what breaks it', (name, sound, broken, named) => {
    const before = runOn({ ...sound, ...broken }, name)
    expect(before).toEqual({ passed: false, output: expect.stringContaining(named) })
  })

  it.each([
    ['format', { 'src/a.ts': `export const a = 'x'\n`, 'db/tables.ts': 'export   interface DB {}' }],
    ['types', { 'src/a.ts': `export const a = 1\n` }],
  ])('%s passes on what keeps it', (name, sound) => {
    expect(runOn(sound, name)).toMatchObject({ passed: true })
  })
})

describe('runGates', () => {
  const run = async (...commands: string[]) => {
    const verdicts: Verdict[] = []
    const list = commands.map((command, i) => ({ name: `gate-${i}`, command }))
    const passed = await runGates(list, (verdict) => verdicts.push(verdict))
    return { passed, verdicts: verdicts.sort((a, b) => a.name.localeCompare(b.name)) }
  }

  it('passes when every gate does', async () => {
    expect(await run('true', 'true', 'true', 'true')).toMatchObject({ passed: true, verdicts: { length: 4 } })
  })

  it('fails when one does, and still runs the others', async () => {
    const { passed, verdicts } = await run(
      'echo wrong; echo worse >&2; exit 3',
      'true',
      'no-such-command',
      'kill $$',
    )
    expect(passed).toBe(false)
    expect(verdicts.map((verdict) => verdict.passed)).toEqual([false, true, false, false])
    expect(verdicts[0]!.output).toBe('wrong\nworse')
  })
})
