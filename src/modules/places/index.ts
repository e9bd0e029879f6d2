// Where things are put, a community or a person's page, and who sees into it.
export { placeAccess, type PlaceAccess } from './access-store.ts'
export { canReadPage, canReadPlace } from './policy.ts'
export { arePagesPrivate } from './privacy.ts'
