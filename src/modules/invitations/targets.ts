import { fail } from '../../kernel/errors.ts'
import type { InvitationTarget } from './target.ts'

/** What people can be invited to, by invitation type. */
export type Targets = ReadonlyMap<string, InvitationTarget>

export function byType(targets: InvitationTarget[]): Targets {
  return new Map(targets.map((target) => [target.type, target]))
}

/** The target of a type. Fails with `badRequest` for types that nothing here serves. */
export function targetOf(targets: Targets, type: string): InvitationTarget {
  return targets.get(type) ?? fail('badRequest', `nothing here takes invitations of type ${type}`)
}
