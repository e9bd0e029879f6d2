import { expect, it } from 'vitest'
import { readSignal } from './signal.ts'

const signals: [what: string, body: unknown, expected: object][] = [
  [
    'nginx-rtmp: publish, with the arguments of the address beside its own fields',
    { app: 'live', call: 'publish', addr: '10.0.0.1', clientid: '7', name: 's1', type: 'live', key: 'k' },
    { act: 'publish', app: 'live', streamName: 's1', remoteAddress: '10.0.0.1', query: { key: 'k' } },
  ],
  [
    'nginx-rtmp: a recording',
    { app: 'live', call: 'record_done', name: 's1', recorder: '', path: '/r/s1.flv' },
    { act: 'recorded', streamName: 's1', file: '/r/s1.flv' },
  ],
  ['nginx-rtmp: a sign of life', { app: 'live', call: 'update_publish', name: 's1' }, { act: 'alive' }],
  [
    'SRS: publish',
    { action: 'on_publish', app: 'live', stream: 's1', param: '?key=k&x=%20', ip: '10.0.0.2' },
    { act: 'publish', app: 'live', streamName: 's1', query: { key: 'k', x: ' ' }, remoteAddress: '10.0.0.2' },
  ],
  [
    'SRS: a recording',
    { action: 'on_dvr', app: 'live', stream: 's1', file: '/r/s1.flv', cwd: '/' },
    { act: 'recorded', file: '/r/s1.flv' },
  ],
  [
    'MediaMTX: publish',
    { action: 'publish', path: 'live/s1', query: 'key=k', protocol: 'rtmp', ip: '10.0.0.3', user: '' },
    { act: 'publish', app: 'live', streamName: 's1', query: { key: 'k' }, file: '' },
  ],
  [
    'MediaMTX: read',
    { action: 'read', path: 'live/s1', query: '' },
    { act: 'play', app: 'live', streamName: 's1' },
  ],
  ['something else', { action: 'metrics' }, { act: 'other', streamName: '' }],
  ['nothing', null, { act: 'other', app: '', streamName: '', query: {} }],
  ['the wrong types', { call: 7, name: ['s1'] }, { act: 'other', streamName: '' }],
]

it.each(signals)('reads %s', (_what, body, expected) => {
  expect(readSignal(body)).toMatchObject(expected)
})
