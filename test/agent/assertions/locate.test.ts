import { RE2JS } from 're2js'
import t from 'tap'
import { firstGroup } from '../../../agent/assertions/first-group.ts'
import { createLocate } from '../../../agent/assertions/locate.ts'
import { TooManySteps } from '../../../agent/assertions/reading.ts'
import { fc } from '../../support/fast-check.ts'

const letters = ['a', 'b', 'c', 'x', 'A', '1', ' ', '\n', '-', '_', 'ü', 'Ü', '€', '😀', '\ud83d', 'ab', 'ba']
const texts = fc.array(fc.constantFrom(...letters), { maxLength: 60 }).map((parts) => parts.join(''))

const atoms = fc.constantFrom(
  ...['a', 'b', 'c', 'x', 'ab', '.', '\\d', '\\w', '\\s', '[ab]', '[^a]', 'ü', '€', '😀', '\\n', '-'],
  ...['^', '$', '\\b', '\\B', '\\A', '\\z', ''],
)
const counts = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{0,2}', '{1,3}?')
const openings = fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?m:')
const { pattern: patterns } = fc.letrec<{ pattern: string; part: string; group: string }>((tie) => ({
  group: fc.tuple(openings, tie('pattern')).map(([open, inner]) => `${open}${inner})`),
  part: fc
    .tuple(fc.oneof({ maxDepth: 2 }, atoms, tie('group')), counts)
    .map(([one, count]) => `${one}${one === '' ? '' : count}`),
  pattern: fc
    .array(
      fc.array(tie('part'), { maxLength: 3 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map((branches) => branches.join('|')),
}))

const compile = (pattern: string): RE2JS | null => {
  try {
    return RE2JS.compile(pattern)
  } catch {
    // Such as a count of nothing.
    return null
  }
}

t.test('no match begins before the place that is found, and none is there where none is found', async (t) => {
  let compared = 0
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const re2 = compile(pattern)
      if (re2 === null) return
      const expected = re2.matcher(text)
      const isMatch = expected.find()
      const from = createLocate(re2)(text)
      t.equal(from !== null, isMatch)
      if (from === null) return
      compared += 1
      const actual = re2.matcher(text)
      t.equal(actual.find(from), true)
      for (let group = 0; group <= re2.groupCount(); group += 1)
        t.same([actual.start(group), actual.end(group)], [expected.start(group), expected.end(group)])
    }),
    { numRuns: 3000 },
  )
  t.ok(compared > 300)
  t.comment(`${compared} matches compared with those of re2js`)
})

t.test('an automaton that grows too large is begun anew, or given up', async (t) => {
  const text = (end: string) => `${'aabab'.repeat(20_000)}${'abbbabaababab'.repeat(5000)}${end}`
  for (const pattern of ['([ab]*a[ab]{14}c)', 'a([ab]{9})x', '(?:a|b)*?a([ab]{12})x|yy'])
    for (const end of ['', 'abababababababababababx', 'aaaaaaaaaaaaaaaaaaaaaaac', 'yy']) {
      const matcher = RE2JS.compile(pattern).matcher(text(end))
      t.equal(firstGroup(pattern, text(end)), matcher.find() ? (matcher.group(1) ?? undefined) : undefined)
    }
})

t.test('a search stops where it would take too many steps', async (t) => {
  const text = 'ab'.repeat(500_000)
  t.throws(() => firstGroup('((a|b){0,200}c)', text, 10_000), TooManySteps, 'to find that there is none')
  t.throws(() => firstGroup('(?s)a(.*)b', text, 10_000), TooManySteps, 'to find where it ends')
  t.equal(firstGroup('a(b)a', text, 10_000), 'b')
  t.equal(firstGroup('(x)', text, 10_000), undefined)
})
