#!/usr/bin/env node
// Runs the TypeScript sources as they are: tsx strips the types while loading, so there is no build step.
import { register } from 'tsx/esm/api'

register()
await import('../src/main.ts')
