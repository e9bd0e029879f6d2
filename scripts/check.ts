import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** A check of the whole tree: a command that exits 0 when all is well. */
export interface Gate {
  name: string
  command: string
}

export interface Verdict {
  name: string
  passed: boolean
  seconds: number
  output: string
}

// The slowest first, so that the others fill the time beside it.
export const gates: Gate[] = [
  { name: 'lint', command: 'eslint --max-warnings 0 .' },
  { name: 'types', command: 'tsc --project tsconfig.json' },
  { name: 'format', command: 'prettier --check --log-level warn .' },
  { name: 'boundaries', command: 'tsx scripts/check-boundaries.ts' },
  { name: 'dead-code', command: 'knip --no-progress' },
  { name: 'ownership', command: 'tsx scripts/check-table-ownership.ts' },
]

/** Runs every gate, a few at a time, whatever the others say; tells each verdict as it comes. */
export async function runGates(
  list: Gate[],
  tell: (verdict: Verdict) => void,
  atOnce = Math.min(3, availableParallelism()),
): Promise<boolean> {
  const waiting = [...list]
  let passed = true
  const work = async (): Promise<void> => {
    for (let gate = waiting.shift(); gate; gate = waiting.shift()) {
      const verdict = await run(gate)
      passed &&= verdict.passed
      tell(verdict)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return passed
}

function run({ name, command }: Gate): Promise<Verdict> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    const end = (passed: boolean) =>
      resolve({ name, passed, seconds: (performance.now() - started) / 1000, output: output.trim() })
    child.on('error', (error) => {
      output += error.message
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  const chosen = names.length > 0 ? gates.filter(({ name }) => names.includes(name)) : gates
  if (chosen.length < names.length) {
    console.error(`gates: ${gates.map(({ name }) => name).join(', ')}`)
    process.exit(2)
  }
  const passed = await runGates(chosen, ({ name, passed, seconds, output }) => {
    console.log(`${passed ? 'ok  ' : 'FAIL'} ${name.padEnd(11)} ${seconds.toFixed(1)} s`)
    if (!passed) console.log(output)
  })
  process.exitCode = passed ? 0 : 1
}
