import { expect, it } from 'vitest'
import { filterMatches } from '../realtime/topics.ts'
import { filterSubjects, topicSubject } from './subjects.ts'

/** NATS' own rule: `*` is one token, `>` one or more. */
function matches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.')
  const tokens = subject.split('.')
  return (
    wanted.every((one, i) =>
      one === '>' ? i < tokens.length : one === '*' ? i < tokens.length : one === tokens[i],
    ) &&
    (wanted.at(-1) === '>' || wanted.length === tokens.length)
  )
}

const topics = ['a', 'a/b', 'a/b/c', '/a', 'a/', 'a//b', 'a.b/c', 'a*/b', 'a b/>', 'ü/b', 'a%/b', 'a/+x']
const filters = [
  '#',
  '+',
  'a',
  'a/#',
  '+/b',
  'a/+',
  'a/+/c',
  'a/b/#',
  '/+',
  '+/',
  'a//#',
  'a.b/+',
  'a*/b',
  'a b/#',
  '+/b/#',
]

it('a subject is wanted just when the filter matches the topic', () => {
  for (const topic of topics)
    for (const filter of filters) {
      const isWanted = filterSubjects(filter).some((subject) => matches(subject, topicSubject(topic)))
      expect([filter, topic, isWanted]).toEqual([filter, topic, filterMatches(filter, topic)])
    }
})

it('subjects hold nothing NATS would refuse', () => {
  for (const topic of topics) expect(topicSubject(topic)).toMatch(/^[^\s.*>]+(\.[^\s.*>]+)*$/)
})
