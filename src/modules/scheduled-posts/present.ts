import type { EnvelopeForm } from '../../kernel/envelope/form.ts'
import { iso } from '../../kernel/schema.ts'
import type { PostData, ScheduledPost } from './schema.ts'
import { statusCodes } from './schema.ts'
import type { ScheduledPostRow, State } from './store.ts'

type Held = Pick<ScheduledPost, 'files' | 'communities'>

/** Files and communities are those of the envelope: `withHeld` lays them in. */
export function presentScheduledPost(row: ScheduledPostRow): ScheduledPost {
  const post = row.post as unknown as ScheduledPost['postData']
  const { dataType, data, attachments = [] } = row.postData as PostData
  const scheduledAt = iso(row.scheduledAt)
  return {
    _id: row.id,
    userId: row.userPublicId,
    userDisplayName: row.userDisplayName,
    scheduledAt,
    status: statusOf(row.state as State, row.failure),
    postData: {
      ...post,
      ...(dataType !== undefined && { dataType }),
      data: { ...post.data, ...data },
      attachments,
      children: [],
      childrenNumber: 0,
      editedAt: scheduledAt,
      createdAt: scheduledAt,
      updatedAt: scheduledAt,
    },
    files: [],
    communities: [],
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
}

function statusOf(state: State, failure: string | null): ScheduledPost['status'] {
  const description = {
    waiting: 'It waits for its time.',
    published: 'It is published.',
    failed: failure ?? '',
  }
  return { code: statusCodes[state], description: description[state] }
}

/** The files that what is asked for names. */
export function fileIdsOf({ attachments = [], data = {} }: PostData): string[] {
  return [...attachments.map(({ fileId }) => fileId), ...(data.images ?? []), ...(data.files ?? [])]
}

/** Lays into each scheduled post what the envelope holds of its files and its community. */
export const withHeld: EnvelopeForm = { of: layIn, schema: (envelope) => envelope }

function layIn(envelope: Record<string, unknown>): Record<string, unknown> {
  const { data, files, communities } = envelope as Record<'data', ScheduledPost[]> & Held
  const laid = data.map((scheduled) => {
    const { postData } = scheduled
    const fileIds = new Set(fileIdsOf(postData as unknown as PostData))
    return {
      ...scheduled,
      files: files.filter(({ fileId }) => fileIds.has(fileId)),
      communities:
        postData.targetType === 'community'
          ? communities.filter(({ communityId }) => communityId === postData.targetId)
          : [],
    }
  })
  return { ...envelope, data: laid }
}
