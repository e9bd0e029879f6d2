import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { leaveOutUnrunnable } from './test/harness/outside-programs.ts'

const excluded = [...configDefaults.exclude, ...leaveOutUnrunnable(['src', 'test'])]

export default defineConfig({
  test: {
    // One PostgreSQL for the run; each file clones its own database from the template.
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // More than there are processors: the longest tests mostly wait for servers, encoders and timeouts.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
    projects: [
      // Tests over HTTP share processes, one file after another: loading the server takes longer than most of them.
      {
        extends: true,
        test: {
          name: 'slices',
          include: ['src/modules/**/*.test.ts'],
          exclude: [...excluded, 'src/modules/push/**'],
          isolate: false,
          setupFiles: ['test/harness/shared-process.ts'],
        },
      },
      // A process per file: a file may change its user id, its clock or its signals without touching another.
      {
        extends: true,
        test: {
          name: 'rest',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...excluded, 'src/modules/!(push)/**'],
        },
      },
    ],
  },
})
