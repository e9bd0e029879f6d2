/** Invitations are shown with the public ids of who invited whom. */
export const reads = ['users'] as const
