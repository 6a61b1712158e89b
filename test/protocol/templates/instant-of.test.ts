import t from 'tap'
import { instantOf } from '../../../protocol/templates/instant-of.ts'
import { fc } from '../../support/fast-check.ts'

const now = Date.parse('2026-03-31T09:05:07.089Z')

const read = (text: string): string | null => {
  const instant = instantOf(text, now)
  return instant === null ? null : new Date(instant).toISOString()
}

const same: Array<[texts: string[], expected: string]> = [
  [['', 'now', ' Today '], '2026-03-31T09:05:07.089Z'],
  [['yesterday', '1 day ago', 'a day ago', 'last day'], '2026-03-30T09:05:07.089Z'],
  [['tomorrow', 'in 1 day', 'one day from now'], '2026-04-01T09:05:07.089Z'],
  [['2  Days  Ago', 'two days ago'], '2026-03-29T09:05:07.089Z'],
  [['in 3 hours', '3 hours from now'], '2026-03-31T12:05:07.089Z'],
  [['last week', 'previous week', '1 week ago', '7 days ago'], '2026-03-24T09:05:07.089Z'],
  [['last month', '1 month ago'], '2026-02-28T09:05:07.089Z'],
  [['last quarter', '3 months ago'], '2025-12-31T09:05:07.089Z'],
  [['in 1 month'], '2026-04-30T09:05:07.089Z'],
  [['next year'], '2027-03-31T09:05:07.089Z'],
  [['1767323045', '1767323045000'], '2026-01-02T03:04:05.000Z'],
  [
    ['2026-01-02', '20260102', '2026/01/02', '2026-1-2', '2026-002', '2026002', '2026-W01-5', '2026W015'],
    '2026-01-02T00:00:00.000Z',
  ],
  [['2026', '2026-01', '202601'], '2026-01-01T00:00:00.000Z'],
  [['2026-W02'], '2026-01-05T00:00:00.000Z'],
  [['2024-366'], '2024-12-31T00:00:00.000Z'],
  [
    [
      '2026-01-02T03:04:05Z',
      '2026-01-02T03:04:05',
      '2026-01-02 03:04:05',
      '20260102T030405Z',
      '2026-01-02T05:04:05+02:00',
      '2026-01-01T21:34:05-0530',
      'Fri, 02 Jan 2026 03:04:05 +0000',
      'Fri, 02 Jan 2026 05:04:05 +0200',
      'Fri Jan 02 2026 05:04:05 GMT+0200 (Central European Standard Time)',
      'Jan 2, 2026 3:04:05 AM',
      '2 January 2026 03:04:05',
      '1/2/2026 03:04:05',
    ],
    '2026-01-02T03:04:05.000Z',
  ],
  [['2026-01-02T03:04:05.6'], '2026-01-02T03:04:05.600Z'],
  [['2026-01-02T03:04:05.123456Z'], '2026-01-02T03:04:05.123Z'],
  [['2026-01-02T24:00'], '2026-01-03T00:00:00.000Z'],
  [['+012026-01-02'], '+012026-01-02T00:00:00.000Z'],
  [['0050-01-02'], '0050-01-02T00:00:00.000Z'],
]

t.test('words, unix times and dates are read, in UTC wherever this machine is', async (t) => {
  const zone = process.env['TZ']
  t.teardown(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  for (const tz of ['UTC', 'America/New_York', 'Pacific/Auckland']) {
    process.env['TZ'] = tz
    for (const [texts, expected] of same)
      for (const text of texts) t.equal(read(text), expected, `${text} ${tz}`)
  }
})

t.test('what is no time is none', async (t) => {
  const none = [
    'some day',
    'some day 5',
    '5',
    'in 5 fortnights',
    '2026-02-31',
    '2026-13-01',
    '2026-366',
    '2026-W54',
  ]
  const more = [
    '2026-01-02T25:00',
    '2026-01-02T03:60',
    '999999999 years ago',
    'constructor',
    'x'.repeat(1000),
  ]
  for (const text of [...none, ...more]) t.equal(read(text), null, text.slice(0, 40))
})

t.test('every instant is read back from its ISO text', async () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true }),
      (date) => instantOf(date.toISOString(), now) === date.getTime(),
    ),
  )
})
