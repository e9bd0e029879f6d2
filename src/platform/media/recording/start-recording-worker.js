// Threads do not inherit the TypeScript loader, so it is set up here before the real entry.
import { register } from 'tsx/esm/api'

register()
await import('./recording-worker.ts')
