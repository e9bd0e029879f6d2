export type { Notice, NoticeKind } from './notice.ts'
export { readNotices } from './read.ts'
