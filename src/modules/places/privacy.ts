import type { Db } from '../../kernel/database.ts'
import { readSettings } from '../network-settings/index.ts'

/** Whether people's pages are for their followers only, by the network's setting. */
export async function arePagesPrivate(db: Db): Promise<boolean> {
  return (await readSettings(db, 'social')).userPrivacySetting === 'private'
}
