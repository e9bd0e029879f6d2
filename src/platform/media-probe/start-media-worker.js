// A thread does not inherit the loader that strips types from the sources, so it registers its own.
import { register } from 'tsx/esm/api'

register()
await import('./media-worker.ts')
