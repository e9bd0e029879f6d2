export { addFlag, clearFlags, removeFlag, type FlagState, type FlaggableType } from './actions.ts'
export { hashFlagOf, mayHold, type HashFlag } from './hash-flag.ts'
export { FlagBody, FlaggedByMe, presentFlaggedByMe } from './schema.ts'
export { deleteFlagsOf, findFlagged } from './store.ts'
