// MQTT 3.1.1 section 4.7: levels split by '/', '+' stands for one level, '#' for the rest including none.

const MAX_TOPIC_BYTES = 65535

function isTopicText(text: string, maxLevels: number): boolean {
  if (text.length === 0 || text.includes('\0') || Buffer.byteLength(text) > MAX_TOPIC_BYTES) return false
  return text.split('/', maxLevels + 1).length <= maxLevels
}

/** Whether a text is a well-formed topic filter (wildcards alone in their level, '#' only last). */
export function isTopicFilter(filter: string, maxLevels = Infinity): boolean {
  if (!isTopicText(filter, Math.min(maxLevels, MAX_TOPIC_BYTES))) return false
  const levels = filter.split('/')
  return levels.every((level, i) =>
    level.includes('#') ? level === '#' && i === levels.length - 1 : !level.includes('+') || level === '+',
  )
}

/** Whether a text is a well-formed topic name, one that can be published to: no wildcards. */
export function isTopicName(topic: string, maxLevels = Infinity): boolean {
  return isTopicText(topic, Math.min(maxLevels, MAX_TOPIC_BYTES)) && !/[+#]/.test(topic)
}

/** Whether a topic name falls under a filter. A leading wildcard does not reach topics that begin with '$'. */
export function filterMatches(filter: string, topic: string): boolean {
  if (filter === topic) return true
  const wanted = filter.split('/')
  const levels = topic.split('/')
  if (topic.startsWith('$') && (wanted[0] === '+' || wanted[0] === '#')) return false
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === '#') return true
    if (i >= levels.length || (wanted[i] !== '+' && wanted[i] !== levels[i])) return false
  }
  return wanted.length === levels.length
}
