export { addSigningKey, openNetwork, type NetworkKeys } from './keys.ts'
export { networkSlice } from './slice.ts'
