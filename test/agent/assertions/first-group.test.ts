import t from 'tap'
import { firstGroup } from '../../../agent/assertions/first-group.ts'
import { isReadProblem, readProblem } from '../../../agent/assertions/reading.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

t.test('the first group of the first match, or the match when there is no group', async (t) => {
  const cases: [string, string, string | undefined][] = [
    ['v(\\d+)', 'v1 v2', '1'],
    ['v\\d+', 'v1 v2', 'v1'],
    ['(?:a|b)(c)?', 'b', undefined],
    ['(a)(b)', 'ab', 'a'],
    ['x', 'abc', undefined],
    ['^b$', 'a\nb\nc', undefined],
    ['(?m)^(b)$', 'a\nb\nc', 'b'],
    ['(?i)HELLO (\\w+)', 'hello World', 'World'],
    ['(?<year>\\d{4})', 'in 2026', '2026'],
    ['(ü+)', 'grüße', 'ü'],
    ['()', 'abc', ''],
  ]
  for (const [pattern, text, found] of cases) t.equal(firstGroup(pattern, text), found, pattern)
})

t.test('what cannot be matched in linear time, or at all, is said to be so', async (t) => {
  for (const pattern of ['(a', '(a)\\1', 'a(?=b)', '[b-a]', 'a{1001}']) {
    const found = firstGroup(pattern, 'ab')
    t.match(isReadProblem(found) && found.problem, /^the regular expression/, pattern)
  }
})

t.test('what would cost too much is refused before it costs anything', async (t) => {
  const before = cpuTimeMs()
  t.same(firstGroup('(a{1000})'.repeat(200), 'a'), readProblem('the regular expression repeats too much'))
  const text = 'ab'.repeat(500_000)
  t.equal(firstGroup('((?:a+)+c)', text), undefined)
  t.ok(cpuTimeMs() - before < 5000)
})
