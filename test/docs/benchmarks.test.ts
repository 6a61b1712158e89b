import { readFileSync } from 'node:fs'
import t from 'tap'
import { benchmarksPage } from '../../docs/benchmarks-page.ts'

const written = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')

t.test(
  'docs/benchmarks.md is what the results say: node docs/generate-benchmarks.ts writes it',
  async (t) => {
    t.equal(written, benchmarksPage())
  },
)

t.test('rows are in the order of their numbers, with their verdict, machine and commit', async (t) => {
  const row = {
    name: 'P2',
    work: 'lateness | of checks',
    ours: '5 ms',
    against: 'the slot',
    ratio: '–',
    goal: '≤ 20 ms',
    met: true,
    numbers: {},
    notes: [],
  }
  const machine = { date: '2026-01-01', node: 'v24.0.0', cores: 2, processor: 'a processor', memoryGb: 8 }
  const page = benchmarksPage([
    {
      bench: 'P2',
      measures: 'lateness',
      machine: { ...machine, speed: { before: 6504, after: 6449 }, commit: 'abc' },
      rows: [row, { ...row, name: 'P2 holes', met: false }],
    },
    {
      bench: 'P3',
      measures: 'ingest',
      machine: { ...machine, speed: { before: 6504, after: 3249 } },
      rows: [{ ...row, name: 'P3' }],
    },
    { bench: 'SOAK', measures: 'an hour', machine, rows: [{ ...row, name: 'SOAK', met: null }] },
  ])
  t.match(page, '| P2 | lateness \\| of checks | 5 ms | the slot | – | ≤ 20 ms | met | 6,480 | abc |')
  t.match(
    page,
    '| P2 holes | lateness \\| of checks | 5 ms | the slot | – | ≤ 20 ms | **missed** | 6,480 | abc |',
  )
  t.match(page, '| P3 | lateness \\| of checks | 5 ms | the slot | – | ≤ 20 ms | met | 6,500 → 3,250 | – |')
  t.match(page, '| SOAK | lateness \\| of checks | 5 ms | the slot | – | ≤ 20 ms | – | – | – |')
  t.match(page, 'Measured on 2 virtual cores (a processor), 8 GB, Node 24.0.0, 2026-01-01.')
})
