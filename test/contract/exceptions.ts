/** Operations that can only refuse here, and why; the suite sees that they do, and names them. */
export const refused: { id: string; code: number; status: number; why: string }[] = [
  { id: 'GET /api/v1/products/{productId}', status: 404, code: 400400, why: 'nothing writes products' },
]

/** What answers lack of the facts, and why. Each must be met, or it leaves the list. */
export const differences: { problem: RegExp; why: string }[] = [
  {
    problem: /rooms\/\{roomId\}\/token: (coHostToken|coHostUrl|directStreamUrl) is missing$/,
    why: 'a room has one way onto the air',
  },
  { problem: /: products is missing$/, why: 'no products are kept' },
  { problem: /: videoStreamingChildren is missing$/, why: 'no client reads it beside posts' },
  { problem: /: tierHandler is missing$/, why: 'a self-hosted network has no price tiers' },
]

/** Documented bounds that are another one here, and why. */
export const limitsElsewhere: { limit: RegExp; why: string }[] = [
  { limit: /communities query\.categoryId: at least 50/, why: 'ids are shorter' },
  { limit: /query\.options\.type: /, why: 'says how a client pages, and is ignored' },
  { limit: /^DELETE \/api\/v2\/reactions query\.referenceType: at /, why: 'one of four words' },
  { limit: /^GET \/api\/v3\/comments query\.options\.(after|before): /, why: 'the id of a comment' },
  {
    limit: /\{\S* (body|query)\.(commentId|communityId|categoryId|roleId): at /,
    why: 'ignored beside the id in the path',
  },
  {
    limit: /communit\S* body\.(description|tags|userIds|categoryIds): at least 1/,
    why: 'a form left empty; clears',
  },
  {
    limit: /(feeds|posts)\S* query\.dataTypes(\[\])?: /,
    why: 'custom types and all later ones are taken, up to 10',
  },
  { limit: /query\.options\.(before|after|updatedAt): at most (24|100)/, why: 'pages go by token' },
  { limit: /global-feeds query\.options\.token: at most 1000/, why: 'at most 100, as the newer form has it' },
  { limit: /reactions query\.options\.limit: at least 0/, why: 'a page holds at least one' },
  { limit: /channels\/list query\.channelIds/, why: 'clients ask for more at once, and by longer ids' },
  { limit: /query\.role: at most 900/, why: 'names of roles have up to 100 characters' },
  { limit: /v3\/messages query\.channelId: at most 100/, why: 'as long as where messages are sent' },
  {
    limit: /v5\/messages\S* \S*(parentId|after|before|around): at most 30/,
    why: 'ids that clients choose have up to 150',
  },
  { limit: /messages\/user\S* query\.channelId/, why: 'the id may be the public one' },
  { limit: /v5\/messages\S* \S*(dataType|type): at most 20/, why: 'one of few words' },
  { limit: /body\.referenceId: at most 30/, why: 'clients send 42 characters' },
  { limit: /v5\/messages body\.fileId/, why: 'as long as elsewhere' },
  { limit: /mentionedUsers\[\]\.userIds\[\]: at most 24/, why: 'clients send public ids' },
  {
    limit: /^POST \S*\/(files|audios|clips|images|videos) body/,
    why: 'members of a form; the tests of uploads have them',
  },
  { limit: /authentication\/token query\.userId/, why: 'at most 50, as where users sign in' },
  { limit: /tierHandler/, why: 'a self-hosted network has no price tiers' },
  { limit: /prehook body\.callbackUrl/, why: 'an address that can be called; its own tests have the bound' },
  { limit: /storyExpiryTimeMinutes: at least 60/, why: 'shorter stories are taken' },
  { limit: /sessions body\.deviceInfo\.model/, why: 'browsers send their user agent, which is longer' },
  { limit: /sessions body\.authToken/, why: 'auth tokens are signed, and longer' },
  { limit: /^DELETE \/api\/v4\/sessions query/, why: 'the session that asked is over' },
]
