import type { Routes } from '../../kernel/http/routes.ts'
import { Success } from '../../kernel/schema.ts'
import { createEvent, deleteEvent, editEvent } from './actions.ts'
import type { EventOptions } from './livestream.ts'
import { queryEvents, queryMyEvents, queryResponses, requireMyResponse } from './queries.ts'
import { eventShape, responseShape } from './resource.ts'
import { respond } from './responding.ts'
import {
  CreateEventBody,
  EventIdParams,
  QueryEventsQuery,
  QueryResponsesQuery,
  RsvpBody,
  UpdateEventBody,
} from './schema.ts'

const tag = 'Event'
const params = EventIdParams
const path = '/api/v1/events'
const answered = { answers: eventShape }

export function eventRoutes(routes: Routes, options: EventOptions): void {
  writeRoutes(routes, options)
  readRoutes(routes)
  responseRoutes(routes)
}

function writeRoutes({ write }: Routes, options: EventOptions): void {
  write(
    'POST',
    path,
    { summary: 'Create an event', tag, body: CreateEventBody, ...answered },
    async (tx, { viewer, body }) => ({
      roots: { events: [await createEvent(tx, viewer, body, options)] },
    }),
  )
  write(
    'PUT',
    `${path}/:eventId`,
    { summary: 'Change an event, or call it off', tag, params, body: UpdateEventBody, ...answered },
    async (tx, { viewer, params: { eventId }, body }) => ({
      roots: { events: [await editEvent(tx, viewer, eventId, body, options)] },
    }),
  )
  write(
    'DELETE',
    `${path}/:eventId`,
    { summary: 'Delete an event', tag, params, answers: { schema: Success } },
    async (tx, { viewer, params: { eventId } }) => {
      await deleteEvent(tx, viewer, eventId)
      return { body: { success: true } }
    },
  )
}

function readRoutes({ read }: Routes): void {
  read(
    'GET',
    path,
    { summary: 'Query events', tag, query: QueryEventsQuery, ...answered, paged: true },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryEvents(db, viewer, query)
      return { roots: { events: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    `${path}/me/rsvps`,
    {
      summary: 'Query the events one answered to',
      tag,
      query: QueryResponsesQuery,
      ...answered,
      paged: true,
    },
    async (db, { viewer, query }) => {
      const { rows, paging } = await queryMyEvents(db, viewer, query)
      return { roots: { events: rows.map((row) => row.id) }, paging }
    },
  )
  read(
    'GET',
    `${path}/:eventId`,
    { summary: 'Get an event', tag, params, ...answered },
    async (_db, { params: { eventId } }) => ({ roots: { events: [eventId] }, required: 'events' }),
  )
}

function responseRoutes({ read, write }: Routes): void {
  read(
    'GET',
    `${path}/:eventId/rsvp`,
    {
      summary: 'Query the answers to an event',
      tag,
      params,
      query: QueryResponsesQuery,
      answers: responseShape,
      paged: true,
    },
    async (db, { viewer, params: { eventId }, query }) => {
      const { rows, paging } = await queryResponses(db, viewer, eventId, query)
      return { roots: { eventResponses: rows }, paging }
    },
  )
  read(
    'GET',
    `${path}/:eventId/me/rsvp`,
    { summary: "Get one's answer to an event", tag, params, answers: responseShape },
    async (db, { viewer, params: { eventId } }) => ({
      roots: { eventResponses: [await requireMyResponse(db, viewer, eventId)] },
    }),
  )
  const answerings = [
    ['POST', 'Answer an event', false],
    ['PUT', "Change one's answer to an event", true],
  ] as const
  for (const [method, summary, isChange] of answerings) {
    write(
      method,
      `${path}/:eventId/rsvp`,
      { summary, tag, params, body: RsvpBody, answers: responseShape },
      async (tx, { viewer, params: { eventId }, body: { status } }) => ({
        roots: { eventResponses: [await respond(tx, viewer, eventId, status, { isChange })] },
      }),
    )
  }
}
