import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What a test file may need beside Node, said on its first line (`// needs: ffmpeg chromium`), by Debian package. */
const packageOf: Record<string, string> = {
  ffmpeg: 'ffmpeg',
  chromium: 'chromium',
  nginx: 'nginx libnginx-mod-rtmp',
  'nats-server': 'nats-server',
}
/** What is no Debian package, and the script that fetches it and runs those tests; never insisted on. */
const scriptOf: Record<string, string> = {
  'livekit-server': 'scripts/test-livekit.sh',
  versitygw: 'scripts/test-s3.sh',
}

/**
 * The test files this machine cannot run, so that `npm test` works where only Node is. Says which and why; where all
 * must run (HUBBUB_TESTS=all, as in CI) it fails instead.
 */
export function leaveOutUnrunnable(folders: string[]): string[] {
  const missing = new Map<string, string[]>()
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.test.ts')) continue
      const file = join(folder, name)
      for (const program of needsOf(file)) {
        if (!isInstalled(program)) missing.set(program, [...(missing.get(program) ?? []), file])
      }
    }
  }
  if (missing.size === 0) return []
  const said = [...missing].map(([program, files]) => {
    const how = scriptOf[program] ?? `Debian: apt-get install ${packageOf[program]}`
    return `${program} is not installed (${how}): ${files.join(', ')}`
  })
  const isInsisted = [...missing.keys()].some((program) => packageOf[program])
  if (isInsisted && process.env.HUBBUB_TESTS === 'all') throw new Error(said.join('\n'))
  console.warn(`Test files left out:\n  ${said.join('\n  ')}\n`)
  return [...new Set([...missing.values()].flat())]
}

function needsOf(file: string): string[] {
  const programs = /^\/\/ needs: (.*)/.exec(readFileSync(file, 'utf8'))?.[1]?.split(' ') ?? []
  for (const program of programs) {
    if (!packageOf[program] && !scriptOf[program])
      throw new Error(`${file} needs ${program}, which outside-programs.ts does not know`)
  }
  return programs
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
