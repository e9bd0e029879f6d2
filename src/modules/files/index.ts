import type { Slice } from '../../kernel/slice.ts'
import { fileSlots } from './resource.ts'

export { findFilesById, type FileRow } from './store.ts'

export interface FilesOptions {
  /** The address clients reach the server at, without a slash at the end. */
  baseUrl: () => string
}

export function filesSlice({ baseUrl }: FilesOptions): Slice {
  return { name: 'files', slots: fileSlots(baseUrl) }
}
