// The kit 4.23 is made for client 7.27; the newest that npm installs is 7.20. What the kit needs of the seven
// versions between, and gets nowhere without, is added here. Nothing here talks to the server.
import * as sdk from '@amityco/ts-sdk-react-native'

export * from '@amityco/ts-sdk-react-native'

export const AmityChannelNotificationModeEnum = {
  Default: 'default',
  Silent: 'silent',
  Subscribe: 'subscribe',
}
export const AmityLiveViewerCountMode = {
  ALWAYS_SHOW: 'alwaysShow',
  SHOW_ABOVE_MINIMUM: 'showAboveMinimum',
  HIDE_ENTIRELY: 'hideEntirely',
}
export const AmitySharableContentType = { POST: 'post', COMMUNITY: 'community', EVENT: 'event', USER: 'user' }
export const UserNotificationModuleNameEnum = { CHAT: 'chat' }

export const Client = {
  ...sdk.Client,
  createClient: (...options) =>
    Object.assign(sdk.Client.createClient(...options), {
      getForYouFeedSetting: async () => ({ forYouFeed: { enabled: false } }),
    }),
  onVisitorUsageLimitReached: () => () => {},
}

export const UserRepository = {
  ...sdk.UserRepository,
  searchUsers: sdk.UserRepository.searchUserByDisplayName,
}

// Pictures and videos of 7.27 answer their size and how far they are turned themselves.
for (const fact of ['Width', 'Height', 'Rotation']) {
  Object.defineProperty(Object.prototype, `get${fact}`, {
    configurable: true,
    writable: true,
    value() {
      return this.attributes?.metadata?.[fact.toLowerCase()]
    },
  })
}
