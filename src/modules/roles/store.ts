import type { Db } from '../../kernel/database.ts'

export async function roleExists(db: Db, roleId: string): Promise<boolean> {
  const row = await db
    .selectFrom('roles')
    .select('id')
    .where('roleId', '=', roleId)
    .where('isDeleted', '=', false)
    .executeTakeFirst()
  return row !== undefined
}
