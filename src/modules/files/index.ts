import type { Slice } from '../../kernel/slice.ts'
import { fileSlots } from './resource.ts'
import { fileRoutes, type FileEngines } from './routes.ts'

export { File } from './schema.ts'
export {
  requireAllowedVideo,
  requireFile,
  requireFiles,
  requireShowable,
  thumbnailOf,
  type VideoSetting,
} from './showing.ts'
export { findFilesById, type FileRow } from './store.ts'

/** Uploaded files: records in the database, bytes in the object store. */
export function filesSlice(engines: FileEngines): Slice {
  return {
    name: 'files',
    slots: fileSlots(engines.baseUrl),
    routes: (routes) => fileRoutes(routes, engines),
  }
}
