import { isAdmin, type Viewer } from '../../kernel/viewer.ts'

/** Who changes, ends and deletes a stream, and sees its key: its maker and administrators. */
export function canManageStream(viewer: Viewer, stream: { userId: string }): boolean {
  return stream.userId === viewer.id || isAdmin(viewer)
}

interface Placed {
  isSecure: boolean
  targetType: string | null
  isCommunityOpen: boolean | null
}

/** Whether anybody who is signed in may watch, as far as the place of its post decides. */
export function isOpen({ targetType, isCommunityOpen }: Placed, arePagesPrivate: boolean): boolean {
  if (targetType === 'community') return isCommunityOpen === true
  return targetType !== 'user' || !arePagesPrivate
}

/** Whether watching needs a signed address: asked for, or as the stream is not for everyone. */
export function needsSignature(stream: Placed, arePagesPrivate: boolean): boolean {
  return stream.isSecure || !isOpen(stream, arePagesPrivate)
}
