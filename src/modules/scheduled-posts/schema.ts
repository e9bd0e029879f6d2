import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { Nullable, OneOf, Text, Timestamp } from '../../kernel/schema.ts'
import { Community } from '../communities/index.ts'
import { File } from '../files/index.ts'
import { CreatePostBody, Post, targetTypes } from '../posts/index.ts'

/** As for a post that is made now. When it is made is not asked for twice. */
const PostData = Type.Omit(CreatePostBody, ['createdAt'])
export type PostData = Static<typeof PostData>

/** The members of `postData` that are known. */
export const postDataMembers: readonly string[] = Object.keys(PostData.properties)

export const SchedulePostBody = Type.Object({ scheduledAt: Timestamp, postData: PostData })
export type SchedulePostBody = Static<typeof SchedulePostBody>

/** What is given of `postData` takes the place of what was there; the rest stays. */
export const ReschedulePostBody = Type.Object({
  scheduledAt: Type.Optional(Timestamp),
  // Without the default: what is not given stays.
  postData: Type.Optional(
    Type.Object({ ...PostData.properties, targetType: Type.Optional(OneOf(targetTypes)) }),
  ),
})
export type ReschedulePostBody = Static<typeof ReschedulePostBody>

export const statusCodes = { waiting: 'WAIT', published: 'DONE', failed: 'FAIL' } as const
const StatusCode = OneOf(Object.values(statusCodes))

export const ScheduledPostParams = Type.Object({ id: Text(100, 1) })

export const QueryScheduledPostsQuery = Type.Object({
  ...PageQuery.properties,
  userId: Type.Optional(Text(50, 1)),
  status: Type.Optional(StatusCode),
  sortBy: Type.Optional(OneOf(['firstScheduled', 'lastScheduled'])),
})
export type QueryScheduledPostsQuery = Static<typeof QueryScheduledPostsQuery>

/** A post as it will be, with what was asked for in the words of the operation that creates posts. */
const ScheduledPostData = Type.Object({
  ...Post.properties,
  attachments: Type.Array(Type.Record(Type.String(), Type.Unknown())),
})

export const ScheduledPost = Type.Object({
  _id: Type.String(),
  userId: Type.String(),
  userDisplayName: Nullable(Type.String()),
  scheduledAt: Timestamp,
  status: Type.Object({ code: StatusCode, description: Type.String() }),
  postData: ScheduledPostData,
  files: Type.Array(File),
  communities: Type.Array(Community),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type ScheduledPost = Static<typeof ScheduledPost>
