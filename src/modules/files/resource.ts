import { byId, slot, type Resource, type Slot } from '../../kernel/envelope/resource.ts'
import { presentFile } from './present.ts'
import { File } from './schema.ts'
import { findFilesById, type FileRow } from './store.ts'

const fileResource: Resource<FileRow> = {
  name: 'files',
  load: async (db, ids) => byId(await findFilesById(db, ids), (row) => row.id),
  references: () => ({}),
}

/** Files are shown with absolute addresses, so the slot knows the server's. */
export function fileSlots(baseUrl: () => string): Record<string, Slot> {
  return { files: slot(fileResource, File, (row) => presentFile(row, baseUrl())) }
}
