import type { Db } from '../../kernel/database.ts'
import { readSettings } from '../network-settings/index.ts'

/** What the network's social settings say about becoming a member. */
export interface JoinSettings {
  /** Whether whoever knows a hidden private community's id may join it without an invitation. */
  allowJoinPrivateCommunity: boolean
  /** `invitation`: nobody becomes a member without having agreed. `automatic`: moderators may add people. */
  membershipAcceptance: 'automatic' | 'invitation'
}

export async function readJoinSettings(db: Db): Promise<JoinSettings> {
  return readSettings(db, 'social')
}
