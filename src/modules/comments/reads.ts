/** Comments show public ids of people, and leave out those who blocked one another. */
export const reads = ['users', 'userBlocks'] as const
