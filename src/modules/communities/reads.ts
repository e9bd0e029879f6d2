/** Communities and memberships are shown with the public ids of the people in them. */
export const reads = ['users'] as const
