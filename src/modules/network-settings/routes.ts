import { Type, type TSchema } from 'typebox'
import type { Db } from '../../kernel/database.ts'
import { fail } from '../../kernel/errors.ts'
import type { Routes } from '../../kernel/http/routes.ts'
import { isAdmin, type Viewer } from '../../kernel/viewer.ts'
import { sections, type Section } from './sections.ts'
import { readSettings, updateSettings } from './settings.ts'

const tag = 'Network setting'
const UpdateBody = Type.Record(Type.String(), Type.Unknown())

/** How a section is answered, where that is not simply the section. */
const forms: Partial<Record<Section, { schema: TSchema; present(value: Record<string, unknown>): unknown }>> =
  {
    // One client reads the members at the top, another below `socialNetworkSetting`.
    social: {
      schema: Type.Object({ ...sections.social.properties, socialNetworkSetting: sections.social }),
      present: (value) => ({ ...value, socialNetworkSetting: value }),
    },
    'feed-setting': {
      schema: Type.Object({
        feedSettings: Type.Array(
          Type.Object({
            feedType: Type.String(),
            contentSettings: Type.Array(Type.Record(Type.String(), Type.Unknown())),
          }),
        ),
      }),
      present: (value) => ({
        feedSettings: Object.entries(value as Record<string, { video: object }>).map(
          ([feedType, { video }]) => ({
            feedType,
            contentSettings: [{ contentType: 'video', ...video }],
          }),
        ),
      }),
    },
  }

export function networkSettingRoutes({ read, write }: Routes): void {
  for (const section of Object.keys(sections) as Section[]) {
    const { schema = sections[section] as TSchema, present = (value: unknown) => value } =
      forms[section] ?? {}
    read(
      'GET',
      `/api/v3/network-settings/${section}`,
      { summary: `Read the ${section} settings`, tag, answers: { schema } },
      async (db) => ({ body: present(await readSettings(db, section)) }),
    )
    write(
      'PUT',
      `/api/v3/network-settings/${section}`,
      { summary: `Change the ${section} settings`, tag, body: UpdateBody, answers: { schema } },
      async (tx, { viewer, body }) => {
        requireAdmin(viewer)
        return { body: present(await updateSettings(tx, section, body)) }
      },
    )
  }

  write(
    'PUT',
    '/api/v3/network-settings',
    {
      summary: 'Switch parts of the network on and off',
      tag,
      body: NetworkBody,
      answers: { schema: Network },
    },
    async (tx, { viewer, body }) => {
      requireAdmin(viewer)
      for (const [member, [section, name]] of Object.entries(switches)) {
        const value = body[member as keyof typeof body]
        if (value !== undefined) await updateSettings(tx, section, { [name]: value })
      }
      return { body: await readNetwork(tx) }
    },
  )
}

const switches: Record<string, [Section, string]> = {
  socialEnabled: ['social', 'enabled'],
  videoStreamingEnabled: ['video-streaming', 'enabled'],
  chatEnabled: ['chat', 'enabled'],
  isWhitelistEnabled: ['moderation', 'isWhitelistEnabled'],
}
const NetworkBody = Type.Object({
  networkId: Type.Optional(Type.String()),
  socialEnabled: Type.Optional(Type.Boolean()),
  videoStreamingEnabled: Type.Optional(Type.Boolean()),
  chatEnabled: Type.Optional(Type.Boolean()),
  isWhitelistEnabled: Type.Optional(Type.Boolean()),
})
const Network = Type.Object({
  videoStreaming: sections['video-streaming'],
  chat: sections.chat,
  social: sections.social,
  webhook: sections.webhook,
  moderation: sections.moderation,
})

async function readNetwork(db: Db) {
  return {
    videoStreaming: await readSettings(db, 'video-streaming'),
    chat: await readSettings(db, 'chat'),
    social: await readSettings(db, 'social'),
    webhook: await readSettings(db, 'webhook'),
    moderation: await readSettings(db, 'moderation'),
  }
}

function requireAdmin(viewer: Viewer): void {
  if (!isAdmin(viewer)) fail('permissionDenied', 'network settings are for admins')
}
