// What the client's build for phones asks of a phone, answered by a browser.
export const Platform = { OS: 'web' }

const { localStorage } = globalThis
export default {
  getItem: async (key) => localStorage.getItem(key),
  setItem: async (key, value) => localStorage.setItem(key, value),
  removeItem: async (key) => localStorage.removeItem(key),
  addEventListener: () => () => {},
}
