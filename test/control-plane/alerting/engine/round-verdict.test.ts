import t from 'tap'
import { type RoundReport, roundVerdict } from '../../../../control-plane/alerting/engine/round-verdict.ts'

const letters: Record<string, RoundReport> = { p: 'passing', d: 'degraded', f: 'failing', n: 'none' }
const verdict = (reports: string, expected: number, share: number | null) =>
  roundVerdict(
    [...reports].map((letter) => letters[letter] as RoundReport),
    expected,
    share,
  )

const cases: [reports: string, expected: number, share: number | null, level: string | null][] = [
  ['', 3, null, null],
  ['pp', 3, null, null],
  ['ppp', 3, null, 'passing'],
  ['f', 3, null, 'failing'],
  ['pdp', 3, null, 'degraded'],
  ['pd', 3, null, null],
  ['f', 4, 50, null],
  ['ff', 4, 50, 'failing'],
  ['fppp', 4, 50, 'passing'],
  ['fppd', 4, 50, 'degraded'],
  ['fpn', 3, 50, 'failing'],
  ['fppp', 4, 25, 'failing'],
  ['ppn', 3, null, 'passing'],
  ['nnn', 3, null, null],
  ['f', 10, 10, 'failing'],
  ['ff', 3, 70, null],
  ['fff', 3, 100, 'failing'],
  ['fnnnn', 5, 90, null],
  ['pnnnn', 5, 90, null],
  ['ffnnn', 5, 90, null],
  ['fffnn', 5, 90, 'failing'],
  ['ffnnn', 5, 40, 'failing'],
  ['fn', 2, 90, 'failing'],
  ['fnnnn', 5, null, 'failing'],
  ['pnnnn', 5, null, 'passing'],
]

for (const [reports, expected, share, level] of cases)
  t.test(`"${reports}" of ${expected}, ${share ?? 'any'} %: ${level}`, async (t) =>
    t.equal(verdict(reports, expected, share), level),
  )

t.test('once there is a verdict, further reports do not take it back', async (t) => {
  for (const [reports, expected, share, level] of cases)
    if (level !== null && reports.length < expected)
      for (const more of ['p', 'd', 'f', 'n']) t.equal(verdict(reports + more, expected, share), level)
})
