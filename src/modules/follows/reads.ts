/** Relations are shown with the public ids of the two people in them. */
export const reads = ['users'] as const
