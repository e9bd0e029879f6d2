/** Polls show public ids of people, and are as readable as the post that shows them. */
export const reads = ['users', 'posts'] as const
