// The whole app of the UI kit test: the kit's provider, told where the server is by the page's address.
import '@amityco/ui-kit/dist/index.css'
import { AmityUiKitChatV4, AmityUiKitProvider, AmityUiKitSocial } from '@amityco/ui-kit'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

const { server, mqtt, apiKey, userId, displayName, show } = Object.fromEntries(
  new URLSearchParams(location.search),
)
const apiEndpoint = { http: `${server}/`, upload: `${server}/`, mqtt }
createRoot(document.getElementById('app')).render(
  createElement(
    AmityUiKitProvider,
    { apiKey, apiRegion: 'eu', apiEndpoint, userId, displayName },
    createElement(show === 'chat' ? AmityUiKitChatV4 : AmityUiKitSocial),
  ),
)
