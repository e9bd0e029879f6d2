export {
  addSigningKey,
  openNetwork,
  retireOldSigningKeys,
  signingKeysTopic,
  type NetworkKeys,
} from './keys.ts'
export { networkSlice } from './slice.ts'
