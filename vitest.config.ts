import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { leaveOutUnrunnable } from './test/harness/outside-programs.ts'

const excluded = [...configDefaults.exclude, ...leaveOutUnrunnable(['src', 'test'])]
const alone = ['src/platform/embedded-postgres/**/*.test.ts']

const limits = {
  pool: 'forks',
  testTimeout: 30_000,
  hookTimeout: 60_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
} as const

export default defineConfig({
  test: {
    // One PostgreSQL for the run; each file clones its own database from the template.
    globalSetup: ['test/harness/global-setup.ts'],
    // More than there are processors: the longest tests mostly wait for servers, encoders and timeouts.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    projects: [
      // Files share processes, one after another: loading the server takes longer than most of them.
      {
        test: {
          ...limits,
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...excluded, ...alone],
          isolate: false,
          setupFiles: ['test/harness/shared-process.ts'],
        },
      },
      // A process per file: these change their user id.
      { test: { ...limits, name: 'alone', include: alone, exclude: excluded } },
    ],
  },
})
