/** A user's feed is shown with the user's public id. */
export const reads = ['users'] as const
