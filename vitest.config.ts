import { configDefaults, defineConfig } from 'vitest/config'
import { leaveOutUnrunnable } from './test/harness/outside-programs.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leaveOutUnrunnable(['src', 'test'])],
    // One PostgreSQL for the run; each file clones its own database from the template.
    globalSetup: ['test/harness/global-setup.ts'],
    // A process per file: a file may change its user id, its clock or its signals without touching another.
    pool: 'forks',
    // The default leaves one processor free; PostgreSQL and waiting leave enough.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
  },
})
