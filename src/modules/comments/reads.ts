/** Comments show the public ids of their author, of those they mention and of the page they are on. */
export const reads = ['users'] as const
