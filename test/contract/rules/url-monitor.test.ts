import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { createOne, type FieldRule, field, required } from '../../support/field-rules.ts'
import { urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const on = (path: string, rule: FieldRule): RuleTest => field(urlMonitor, path, rule)

const offsets = (frequency: number, valid: number[], beyond: number[]): RuleTest =>
  on('frequencyOffset', {
    beside: { frequency },
    valid,
    invalid: beyond.map((value) => [value, 'range']),
  })

testRules('URL monitor', {
  'request: an object, required': each(
    required(urlMonitor, 'request'),
    on('request', {
      invalid: [
        ['https://example.com/', 'type'],
        [null, 'type'],
      ],
    }),
  ),
  'request.url: text': on('request.url', {
    valid: ['https://example.com/health?x=1', 'http://127.0.0.1:8080/'],
    invalid: [[1, 'type']],
  }),
  'request.method: text, `GET`': on('request.method', {
    valid: ['GET'],
    invalid: [
      ['FETCH', 'enum'],
      [1, 'enum'],
    ],
  }),
  'request.followRedirects: boolean': on('request.followRedirects', {
    valid: [true, false],
    invalid: [['yes', 'type']],
  }),
  'request.skipSSL: boolean': on('request.skipSSL', {
    valid: [true, false],
    invalid: [['yes', 'type']],
  }),
  'request.ipFamily: text, `IPv4`': on('request.ipFamily', {
    valid: ['IPv4'],
    invalid: [
      ['IPv5', 'enum'],
      [4, 'enum'],
    ],
  }),
  'request.assertions: a list': on('request.assertions', {
    valid: [[], [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }]],
    invalid: [[{}, 'type']],
  }),
  'frequencyOffset: an integer from 1': on('frequencyOffset', {
    valid: [1],
    invalid: [
      [0, 'minimum'],
      [-1, 'minimum'],
      [1.5, 'type'],
      ['1', 'type'],
    ],
  }),
  'frequencyOffset with `frequency` 0: 10, 20 or 30': offsets(0, [10, 20, 30], [1, 9, 11, 31, 40]),
  'frequencyOffset with `frequency` 0: a run every that many seconds': async (t, plane) => {
    for (const frequencyOffset of [10, 20, 30]) {
      const places = { privateLocations: ['local'] }
      const { id } = await createOne(t, plane, urlMonitor, { frequency: 0, frequencyOffset, ...places })
      const schedules = await plane.app.db.select((k) =>
        k.selectFrom('schedules').select('period_ms').where('check_id', '=', id),
      )
      t.strictSame(schedules, [{ period_ms: frequencyOffset * 1000 }])
    }
  },
  'frequencyOffset with `frequency` from 1 to 60: 1 to floor(frequency * 10)': each(
    ...[1, 2, 5, 10, 15, 30, 60].map((minutes) =>
      offsets(minutes, [1, minutes * 10], minutes < 60 ? [minutes * 10 + 1] : []),
    ),
    on('frequencyOffset', { beside: { frequency: 60 }, invalid: [[601, 'maximum']] }),
  ),
  'frequencyOffset with `frequency` above 60: 1 to ceil(frequency / 60)': each(
    offsets(120, [1, 2], [3]),
    offsets(180, [1, 3], [4]),
    offsets(360, [1, 6], [7]),
    offsets(720, [1, 12], [13]),
    offsets(1440, [1, 24], [25]),
  ),
  'degradedResponseTime: milliseconds or null, default 3000, 0 to 30000': on('degradedResponseTime', {
    byDefault: 3000,
    beside: { maxResponseTime: null },
    valid: [null, 0, 30_000],
    invalid: [
      [-1, 'minimum'],
      [30_001, 'maximum'],
      ['1', 'type'],
    ],
  }),
  'maxResponseTime: milliseconds or null, default 5000, 0 to 30000': each(
    on('maxResponseTime', { byDefault: 5000 }),
    on('maxResponseTime', {
      beside: { degradedResponseTime: null },
      valid: [null, 0, 30_000],
      invalid: [
        [-1, 'minimum'],
        [30_001, 'maximum'],
        ['1', 'type'],
      ],
    }),
  ),
  'every field of the table is in what is read, with its type': async (t, plane) => {
    const shown = await createOne(t, plane, urlMonitor)
    hasShape(t, shown, {
      request: 'object',
      frequencyOffset: 'integer',
      degradedResponseTime: 'number?',
      maxResponseTime: 'number?',
    })
    hasShape(t, shown.request, {
      url: 'text',
      method: 'text',
      followRedirects: 'boolean',
      skipSSL: 'boolean',
      ipFamily: 'text',
      assertions: 'list',
    })
  },
})
