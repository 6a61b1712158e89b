import t from 'tap'
import { failedLineOf } from '../../../agent/browser/failed-line.ts'

const spec = (script: string, more = {}) => ({
  ...{ script, scriptPath: null, dependencies: [], shouldFail: false },
  ...more,
})
const at = (line: number | null, path: string | null = null) => ({ line, path })
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

t.test('the line that failed comes with three on either side, as far as there are so many', async (t) => {
  t.same(failedLineOf(spec(lines(20), { scriptPath: 'a/b.ts' }), at(10)), {
    path: 'a/b.ts',
    line: 10,
    firstLine: 7,
    lines: ['line 7', 'line 8', 'line 9', 'line 10', 'line 11', 'line 12', 'line 13'],
  })
  t.match(failedLineOf(spec(lines(20)), at(1)), { path: 'script.ts', firstLine: 1, lines: { length: 4 } })
  t.match(failedLineOf(spec(lines(20)), at(20)), { firstLine: 17, lines: { length: 4 } })
  t.match(failedLineOf(spec('a\r\nb\r\nc'), at(2)), { lines: ['a', 'b', 'c'] })
})

t.test('the line may be one of a file beside the script', async (t) => {
  const dependencies = [{ path: 'pages/home.ts', content: 'a\nb' }]
  t.same(failedLineOf(spec('x', { dependencies }), at(2, 'pages/home.ts')), {
    ...{ path: 'pages/home.ts', line: 2, firstLine: 1, lines: ['a', 'b'] },
  })
  t.equal(failedLineOf(spec('x'), at(2, 'pages/home.ts')), null)
})

t.test('a long line is cut, and a line that is not there is none', async (t) => {
  t.match(failedLineOf(spec('x'.repeat(5000)), at(1)), { lines: [`${'x'.repeat(300)}…`] })
  for (const line of [null, 0, -1, 21]) t.equal(failedLineOf(spec(lines(20)), at(line)), null)
  t.equal(failedLineOf(spec(' '), at(1)), null)
})
