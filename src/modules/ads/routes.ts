import { Type } from 'typebox'
import type { Routes } from '../../kernel/http/routes.ts'

const Ads = Type.Object({
  ads: Type.Array(Type.Never()),
  advertisers: Type.Array(Type.Never()),
  files: Type.Array(Type.Never()),
  settings: Type.Object({
    enabled: Type.Boolean(),
    maxActiveAds: Type.Integer(),
    /** By place of the ads, how often they are shown there. */
    frequency: Type.Record(Type.String(), Type.Unknown()),
  }),
})

const noAds = {
  ads: [],
  advertisers: [],
  files: [],
  settings: { enabled: false, maxActiveAds: 0, frequency: {} },
}

export function adRoutes({ read }: Routes): void {
  read(
    'GET',
    '/api/v1/ads/me',
    { summary: 'List the ads to show', tag: 'Ads', answers: { schema: Ads } },
    async () => ({ body: noAds }),
  )
}
