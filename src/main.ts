import { ConfigError } from './config.ts'
import { copyFiles } from './commands/copy-files.ts'
import { doctor } from './commands/doctor.ts'
import { keys } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { seed } from './commands/seed.ts'
import { serve } from './commands/serve.ts'
import { token } from './commands/token.ts'

const usage = `hubbub: communities, feeds, chat and live video, self-hosted

  hubbub serve                          start the server (npm start)
  hubbub token --user ID [--role ROLE] [--days N]
                                        print an access token; signs the user up if need be
  hubbub keys rotate [--retire]         sign access tokens with a new key; --retire ends all older tokens
  hubbub migrate                        bring the database up to date and stop
  hubbub copy-files                     copy the files of the data folder into the S3 bucket
  hubbub seed [--url URL]               fill a lively demo through the public HTTP interface
  hubbub doctor                         check settings, database, storage and ports

Settings come from the environment: docs/operate.md lists them.`

const commands: Record<string, (args: string[]) => Promise<void>> = {
  serve,
  token,
  keys,
  migrate: migrateCommand,
  seed,
  'copy-files': copyFiles,
  doctor,
}

const [name = 'serve', ...args] = process.argv.slice(2)
const command = commands[name]
if (name === '--help' || name === 'help') {
  console.log(usage)
} else if (!command) {
  console.error(`hubbub: no command ${name}\n\n${usage}`)
  process.exitCode = 2
} else {
  try {
    await command(args)
  } catch (error) {
    // What the operator can mend is said in one line; anything else keeps its stack.
    const plain = error instanceof ConfigError || (error as { expected?: boolean }).expected === true
    console.error(plain ? `hubbub: ${(error as Error).message}` : error)
    // Not left to the event loop: what failed half-way may hold timers that try again for ever.
    process.exit(1)
  }
}
