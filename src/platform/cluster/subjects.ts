// How MQTT topics and filters are NATS subjects: levels become tokens.

/** The subject of a topic. Characters that mean something in subjects are encoded, an empty level is `%`. */
export function topicSubject(topic: string): string {
  return topic.split('/').map(token).join('.')
}

/** The subjects that together match what a topic filter matches: `#` also stands for no level, `>` does not. */
export function filterSubjects(filter: string): string[] {
  const levels = filter.split('/')
  const isOpen = levels.at(-1) === '#'
  const tokens = (isOpen ? levels.slice(0, -1) : levels).map((level) => (level === '+' ? '*' : token(level)))
  if (!isOpen) return [tokens.join('.')]
  return tokens.length === 0 ? ['>'] : [tokens.join('.'), [...tokens, '>'].join('.')]
}

function token(level: string): string {
  if (level === '') return '%'
  return encodeURIComponent(level).replace(/[.*]/g, (character) => (character === '.' ? '%2E' : '%2A'))
}
