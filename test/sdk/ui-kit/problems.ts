import type { Page, Response } from 'playwright-core'

/** What the kit does wrong whoever serves it: all else refused or uncaught is a fault. */
const known: { what: RegExp; why: string }[] = [
  {
    what: /^GET \/api\/v3\/communities\/(mira|noor)\/users\?.*community-moderator.* 404 /,
    why: 'it asks for the moderators of a post on a timeline as if its target were a community',
  },
  {
    what: /^uncaught Minified React error #321;/,
    why: 'having added a member, it calls a React hook outside of a component',
  },
]

/** Collects what goes wrong on pages: requests of the server refused, errors that nobody catches. */
export function watchProblems(serverUrl: string) {
  const met: (string | Promise<string>)[] = []
  return {
    watch(page: Page): void {
      page.on('pageerror', ({ message }) => met.push(`uncaught ${message}`))
      page.on('response', (response) => {
        if (response.url().startsWith(serverUrl) && response.status() >= 400) met.push(refusal(response))
      })
    },
    /** What went wrong so far and is not known. */
    async unknown(): Promise<string[]> {
      return (await Promise.all(met)).filter((problem) => !known.some(({ what }) => what.test(problem)))
    },
  }
}

async function refusal(response: Response): Promise<string> {
  const request = response.request()
  const { pathname, search } = new URL(request.url())
  const answer = `${response.status()} ${await response.text()}`
  return `${request.method()} ${pathname}${decodeURIComponent(search)} ${answer} ${request.postData() ?? ''}`
}
