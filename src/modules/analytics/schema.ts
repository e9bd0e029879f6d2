import { Type, type Static } from 'typebox'
import { Text, Timestamp } from '../../kernel/schema.ts'

const contentTypes = ['post', 'story'] as const

/** Clients also report on ads and products, which are no content of this server: their reports are taken and dropped. */
export const ActivitiesBody = Type.Object({
  activities: Type.Array(
    Type.Union([
      Type.Object({
        contentId: Type.String({ pattern: '^[a-f\\d]{24}$' }),
        contentType: Type.Union(contentTypes.map((type) => Type.Literal(type))),
        activityType: Type.Union([Type.Literal('view'), Type.Literal('linkClicked')]),
        timestamp: Timestamp,
      }),
      Type.Object({
        contentId: Text(900, 1),
        contentType: Type.Union([Type.Literal('ad'), Type.Literal('product')]),
        activityType: Text(100, 1),
        timestamp: Timestamp,
      }),
    ]),
    { minItems: 1, maxItems: 1000 },
  ),
})
export type Activity = Static<typeof ActivitiesBody>['activities'][number]

export const ViewedIdParams = Type.Object({ contentId: Type.String({ pattern: '^[a-f\\d]{24}$' }) })
export const Accepted = Type.Object({ status: Type.Literal('success') })
