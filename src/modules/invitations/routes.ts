import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { acceptInvitation, cancelInvitation, createInvitations, rejectInvitation } from './actions.ts'
import { queryInvitations, queryMyInvitations } from './queries.ts'
import { invitationShape } from './resource.ts'
import { CreateInvitationsBody, InvitationIdParams, QueryInvitationsQuery } from './schema.ts'
import type { Targets } from './targets.ts'

const tag = 'Invitation'

export function invitationRoutes({ read, write }: Routes, targets: Targets): void {
  write(
    'POST',
    '/api/v1/invitations',
    { summary: 'Invite people', tag, body: CreateInvitationsBody, answers: invitationShape },
    async (tx, { viewer, body }) => ({
      roots: { invitations: await createInvitations(tx, targets, viewer, body) },
    }),
  )

  read(
    'GET',
    '/api/v1/invitations',
    {
      summary: 'Query invitations',
      tag,
      query: QueryInvitationsQuery,
      answers: invitationShape,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryInvitations(db, targets, viewer, query)
      return { roots: { invitations: rows.map((row) => row.id) }, paging }
    },
  )

  read(
    'GET',
    '/api/v1/invitations/me',
    {
      summary: "Query one's own invitations",
      tag,
      query: QueryInvitationsQuery,
      answers: invitationShape,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryMyInvitations(db, viewer, query)
      return { roots: { invitations: rows.map((row) => row.id) }, paging }
    },
  )

  const answers = [
    ['DELETE', '/api/v1/invitations/:invitationId', 'Cancel an invitation', cancelInvitation],
    ['POST', '/api/v1/invitations/:invitationId/accept', 'Accept an invitation', acceptInvitation],
    ['POST', '/api/v1/invitations/:invitationId/reject', 'Reject an invitation', rejectInvitation],
  ] as const
  for (const [method, path, summary, answer] of answers) {
    write(
      method,
      path,
      { summary, tag, params: InvitationIdParams, answers: { schema: Success } },
      async (tx, { viewer, params }) => {
        await answer(tx, targets, viewer, params.invitationId)
        return { body: { success: true } }
      },
    )
  }
}
