import type { StoryTargetType } from './schema.ts'

/** Where stories are: a community or a person's page. The id is internal. */
export interface Place {
  targetType: StoryTargetType
  targetId: string
}

export function placeId({ targetType, targetId }: Place): string {
  return `${targetType}:${targetId}`
}

export function parsePlaceId(id: string): Place {
  const [targetType, targetId] = id.split(':') as [StoryTargetType, string]
  return { targetType, targetId }
}
