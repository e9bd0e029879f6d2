/** Comments show public ids of people. */
export const reads = ['users'] as const
