import { Type, type Static } from 'typebox'
import { Text } from '../../kernel/schema.ts'

/** Body of every flag operation; older clients send none. With the reason `Others`, `detail` is free text. */
export const FlagBody = Type.Object({
  reason: Type.Optional(Text(300)),
  detail: Type.Optional(Text(300)),
})
export type FlagBody = Static<typeof FlagBody>

/** Whether the viewer flagged the object; clients read `result` or `isFlagByMe`. */
export const FlaggedByMe = Type.Object({
  status: Type.String(),
  result: Type.Boolean(),
  isFlagByMe: Type.Boolean(),
  data: Type.Object({ result: Type.Boolean() }),
})

export function presentFlaggedByMe(result: boolean): Static<typeof FlaggedByMe> {
  return { status: 'success', result, isFlagByMe: result, data: { result } }
}
