export { addFlag, clearFlags, removeFlag, type FlagState } from './actions.ts'
export { mayHold } from './hash-flag.ts'
export { FlagBody, FlaggedByMe, presentFlaggedByMe } from './schema.ts'
export { deleteFlagsOf, findFlagged } from './store.ts'
