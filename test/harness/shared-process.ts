import { afterAll } from 'vitest'
import { setClock } from '../../src/platform/clock.ts'

// Files that share a process must leave the clock as they found it.
afterAll(() => setClock())
