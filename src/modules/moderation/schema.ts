import { Type, type Static } from 'typebox'
import { PageQuery } from '../../kernel/paging.ts'
import { OneOf, Text, Timestamp } from '../../kernel/schema.ts'

/** The block list holds what may not be written, the allow list which links may be. */
export type RuleList = 'block' | 'allow'

export const Rule = Type.Object({
  ruleId: Type.String(),
  regex: Type.String(),
  isMatchExactWord: Type.Boolean(),
  isEnabled: Type.Boolean(),
  isDeleted: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Rule = Static<typeof Rule>

const Regex = Text(500, 1)

/** Rules to add. The newest operation takes 100 at once, the older ones also the export of a whole list. */
export const AddRulesBody = Type.Object({
  regexs: Type.Array(Regex, { maxItems: 100 }),
  isMatchExactWord: Type.Optional(Type.Boolean()),
})
export const RecordsBody = Type.Object({
  regexs: Type.Array(Regex, { maxItems: 1000 }),
  isMatchExactWord: Type.Optional(Type.Boolean()),
})

export const RuleIdParams = Type.Object({ ruleId: Text(50, 1) })
export const SwitchRuleBody = Type.Object({ ruleId: Type.Optional(Text(50)), isEnabled: Type.Boolean() })

export const RecordsQuery = Type.Object({
  regexs: Type.Optional(Type.Array(Text(500), { maxItems: 1000 })),
})
export const RuleIdsQuery = Type.Object({
  ruleIds: Type.Array(Text(50, 1), { minItems: 1, maxItems: 1000 }),
})

/** Milliseconds since 1970. */
const Time = Type.Optional(Type.Number())

export const QueryRulesQuery = Type.Object({
  ...PageQuery.properties,
  regex: Type.Optional(Text(500)),
  sortBy: OneOf(['firstCreated', 'lastCreated'], { default: 'lastCreated' }),
  options: Type.Optional(
    Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      token: Type.Optional(Text(1000, 1)),
      after: Time,
      before: Time,
    }),
  ),
})
export type QueryRulesQuery = Static<typeof QueryRulesQuery>

export const Records = Type.Object({
  status: Type.String(),
  success: Type.Boolean(),
  data: Type.Object({ results: Type.Array(Rule) }),
})
export const Record = Type.Object({ status: Type.String(), data: Rule, ...Rule.properties })
export const Rules = Type.Object({ results: Type.Array(Rule) })

export const VerifyBody = Type.Object({
  data: Type.Array(Text(500), { minItems: 1, maxItems: 10 }),
})

const Milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Score = Type.Number({ minimum: 0 })

/** From which score on each kind of picture is refused. */
const ImageModeration = Type.Object({
  nudity: Score,
  suggestive: Score,
  violence: Score,
  disturbing: Score,
})

const settings = {
  /** How often the same may be written within `maxRepetitionTimeout`; 0 for any number of times. */
  maxRepetition: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  maxRepetitionTimeout: Milliseconds,
  /** For how long somebody may write nothing after a blocked word, a link off the list, a repetition; 0 for not. */
  blacklistMuteTimeout: Milliseconds,
  whitelistMuteTimeout: Milliseconds,
  maxRepetitionMuteTimeout: Milliseconds,
}

export const UpdateSettingsBody = Type.Object({
  ...Type.Partial(Type.Object(settings)).properties,
  enableImageModeration: Type.Optional(Type.Boolean()),
  imageModeration: Type.Optional(Type.Partial(ImageModeration)),
})
export type UpdateSettingsBody = Static<typeof UpdateSettingsBody>

const Settings = Type.Object({
  ...settings,
  enableImageModeration: Type.Boolean(),
  imageModeration: ImageModeration,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Settings = Static<typeof Settings>

export const SettingsAnswer = Type.Object({ status: Type.String(), data: Settings, ...Settings.properties })
export const SettingsChanged = Type.Object({ status: Type.String(), code: Type.String() })
