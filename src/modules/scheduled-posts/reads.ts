/** A scheduled post shows who scheduled it. */
export const reads = ['users'] as const
