import t from 'tap'
import { firstGroup } from '../../../agent/assertions/first-group.ts'
import { isReadError, readError } from '../../../agent/assertions/reading.ts'
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
    ['redis_version:(.*)', 'a\r\nredis_version:7.0.15\r\nb', '7.0.15'],
    ['(?m)^redis_version:(.*)$', 'a\r\nredis_version:7.0.15\r\nb', '7.0.15'],
    ['(?m)^b=(.*)$', 'a\nb=1\nc', '1'],
    ['a(.*)', 'ab\u2028c', 'b'],
    ['a(.*)', 'ab\u2029c', 'b'],
    ['a([^.]*)', 'ab\rc.d', 'b\rc'],
    ['(?s)a(.*)', 'ab\r\nc', 'b\r\nc'],
    ['a(?s:(.*)).(?-s)(.*)', 'ab\rc', 'b\r'],
    ['(?s:a(?-s:(.*)))', 'ab\rc', 'b'],
    ['((?s)a.)(.)', 'a\rb', 'a\r'],
    ['(?s:a).(b)', 'a\rb', undefined],
    ['a\\.(.)', 'a.b', 'b'],
    ['\\Qa.\\E(.)', 'a.b', 'b'],
    ['([a[.]+)', 'x[.a', '[.a'],
    ['([[:alpha:].]+).', 'a.b\r', 'a.'],
    ['a\\s(b)', 'a\u00a0b', 'b'],
    ['a[\\s,]+(b)', 'a\u2003,\ufeff\vb', 'b'],
    ['(\\S+)', '\u3000ab\u2028c', 'ab'],
    ['([^\\s]+)', '\u1680ab\u202fc', 'ab'],
    ['([\\S]+)', '\u205fa\u{1f600}\u2029', 'a\u{1f600}'],
    ['([^\\S\\n]+)', 'a\u00a0 \nb', '\u00a0 '],
  ]
  for (const [pattern, text, found] of cases) t.equal(firstGroup(pattern, text), found, pattern)
})

t.test('what cannot be matched in linear time, or at all, is said to be so', async (t) => {
  for (const pattern of ['(a', '(a)\\1', 'a(?=b)', '[b-a]', 'a{1001}']) {
    const found = firstGroup(pattern, 'ab')
    t.match(isReadError(found) && found.problem, /^the regular expression/, pattern)
  }
})

t.test('what would cost too much is refused before it costs anything', async (t) => {
  const before = cpuTimeMs()
  t.same(firstGroup('(a{1000})'.repeat(200), 'a'), readError('the regular expression repeats too much'))
  const text = 'ab'.repeat(500_000)
  t.equal(firstGroup('((?:a+)+c)', text), undefined)
  t.ok(cpuTimeMs() - before < 5000)
})

t.test('dots and blanks are those of JavaScript, character by character', async (t) => {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  const plain = characters.filter((character) => character.isWellFormed())
  for (const pattern of ['.', '\\s', '\\S', '[\\s]', '[\\S]', '[^\\s]', '[^\\S]']) {
    const own = new RegExp(`^${pattern}$`)
    const different = plain.filter(
      (character) => own.test(character) !== (firstGroup(`^${pattern}$`, character) !== undefined),
    )
    t.same(different, [], pattern)
  }
})
