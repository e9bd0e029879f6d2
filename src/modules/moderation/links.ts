// Separates candidates. Every search below is anchored or goes through the text once: it may be 50,000 characters.
const between = /[\s<>"'`]+/u
const domainWithPath = /^(?:[\p{L}\p{N}-]{1,63}\.)+[\p{L}]{2,24}(?::\d{1,5})?[/?#]/u
const trailing = new Set('.,;:!?)]}')

/**
 * The links in a text: with a scheme, beginning with `www.`, or a domain with a path. A bare `example.com` is left to
 * the client, which says what it shows as a link in `links`.
 */
export function linksIn(text: string): string[] {
  return text
    .split(between)
    .flatMap((word) => word.split(/(?=https?:\/\/)/i))
    .map((word) => trim(word))
    .filter((word) => /^(?:https?:\/\/|www\.)./i.test(word) || domainWithPath.test(word))
}

function trim(word: string): string {
  let start = 0
  while (start < word.length && '([{'.includes(word[start]!)) start++
  let end = word.length
  while (end > start && trailing.has(word[end - 1]!)) end--
  return word.slice(start, end)
}

/**
 * The forms of a link that a rule may name: whole, without its scheme, its host, its host without `www.`. What only
 * looks like a host (`https://good.example@bad.example`) is none.
 */
export function formsOf(link: string): string[] {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(link) ? link : `http://${link}`
  if (!URL.canParse(address)) return [link]
  const url = new URL(address)
  const rest = `${url.host}${url.pathname}${url.search}`
  const forms = [`${url.protocol}//${rest}`, rest, url.host, url.hostname, url.hostname.replace(/^www\./, '')]
  return url.hostname ? [...new Set(forms)] : [url.href]
}
