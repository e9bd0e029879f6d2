/** Who has no session any more has not come for long. */
export const reads = ['sessions'] as const
