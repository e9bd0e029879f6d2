import { paths } from '../../kernel/paths.ts'
import type { EventSubject } from './events.ts'
import type { EventRow } from './store.ts'

/** What is told of an event is told at the community or page it belongs to, whose guard knows who may listen. */
export function subjectOf({
  id,
  originType,
  originId,
}: Pick<EventRow, 'id' | 'originType' | 'originId'>): EventSubject {
  return {
    id,
    topic: originType === 'community' ? paths.community(originId) : paths.target('user', originId),
  }
}
