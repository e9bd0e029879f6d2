import { Type, type TObject } from 'typebox'

/** Another form of an envelope, where the interface shows one. Paging and extra keys are put beside what it makes. */
export interface EnvelopeForm {
  of(envelope: Record<string, unknown>): Record<string, unknown>
  /** The schema of what it makes of an envelope with this one. */
  schema(envelope: TObject): TObject
}

/** The whole envelope below one key. */
export function below(key: string): EnvelopeForm {
  return {
    of: (envelope) => ({ [key]: envelope }),
    schema: (envelope) => Type.Object({ [key]: envelope }),
  }
}
