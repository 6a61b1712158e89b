/** RFC 9535, rule by rule: by cases of our own everywhere, and by the compliance suite where that is at hand. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { isRight, type PathCase, readSuite } from '../../support/json-path-suite.ts'

const shelf = {
  items: [
    { id: 1, tag: 'a', price: 5 },
    { id: 2, tag: null, price: 15 },
    { id: 3, price: 1.5e1, sub: { id: 4 } },
  ],
  "it's": { '"quoted"': '☺', é: 'è' },
  empty: [],
}

type Row = [rule: string, selector: string, document: unknown, result: unknown[]]

const rows: Row[] = [
  ['root', '$', { a: 1 }, [{ a: 1 }]],
  ['root of a scalar', '$', false, [false]],
  ['name', '$.items[0].tag', shelf, ['a']],
  ['name of a null', '$.items[1].tag', shelf, [null]],
  ['name in quotes of either kind', `$["it's"]['"quoted"']`, shelf, ['☺']],
  ['escapes in names', `$['it\\'s']["\\u00e9"]`, shelf, ['è']],
  ['surrogates in names', `$["\\uD83D\\uDE00"]`, { '😀': 1 }, [1]],
  ['a name is not normalized', '$["e\u0301"]', { é: 1 }, []],
  ['no name of a list', '$.length2', [1], []],
  ['wildcard of a list', '$.items[*].id', shelf, [1, 2, 3]],
  ['wildcard of an object', '$.*', { a: 1, b: [2] }, [1, [2]]],
  ['wildcard of a scalar', '$.*', 1, []],
  ['index', '$[1]', ['a', 'b'], ['b']],
  ['index from the end', '$[-2]', ['a', 'b'], ['a']],
  ['index beyond', '$[2]', ['a', 'b'], []],
  ['slice', '$[1:3]', [0, 1, 2, 3], [1, 2]],
  ['slice with a step', '$[::2]', [0, 1, 2, 3], [0, 2]],
  ['slice backwards', '$[::-1]', [0, 1, 2], [2, 1, 0]],
  ['slice with a step of none', '$[::0]', [0, 1], []],
  ['slice beyond', '$[-9:9]', [0, 1], [0, 1]],
  ['union, in its order, with repeats', '$[1, 0, 1]', ['a', 'b'], ['b', 'a', 'b']],
  ['union of kinds', `$['a', *]`, { a: 1 }, [1, 1]],
  ['descendants', '$..id', shelf, [1, 2, 3, 4]],
  ['descendants by index', '$..[0]', { a: [1, [2]] }, [1, 2]],
  ['blanks between selectors', '$ .items\n[ 0 ]\t.id', shelf, [1]],
  ['filter by existence', '$.items[?@.sub].id', shelf, [3]],
  ['filter by what does not exist', '$.items[?!@.tag].id', shelf, [3]],
  ['a null exists', '$.items[?@.tag == null].id', shelf, [2]],
  ['filter of an object', '$[?@ > 1]', { a: 1, b: 2 }, [2]],
  ['comparison of numbers', '$.items[?@.price == 15].id', shelf, [2, 3]],
  ['comparison of an exponent', '$[?@ == 1.1e1]', [11, '11'], [11]],
  ['comparison of texts', `$[?@ < 'b']`, ['a', 'b', 1], ['a']],
  [
    'comparison of lists and objects',
    '$[?@.a == @.b]',
    [{ a: [1, { b: 2 }], b: [1, { b: 2 }] }, { a: 1 }],
    [{ a: [1, { b: 2 }], b: [1, { b: 2 }] }],
  ],
  ['nothing equals nothing', '$[?@.x == @.y]', [{ z: 1 }], [{ z: 1 }]],
  ['no order among kinds', `$[?@ < '2']`, [1], []],
  ['booleans have no order but are equal', '$[?@ <= true]', [true, false], [true]],
  ['and before or', '$[?@ == 1 || @ == 2 && @ == 3]', [1, 2, 3], [1]],
  ['brackets', '$[?(@ == 1 || @ == 2) && @ != 1]', [1, 2, 3], [2]],
  ['not of brackets', '$[?!(@ == 1)]', [1, 2], [2]],
  ['query from the root in a filter', '$.a[?@ == $.b]', { a: [1, 2], b: 2 }, [2]],
  ['filter in a filter', '$[?@[?@ > 1]]', [[1], [2]], [[2]]],
  [
    'length() of texts in characters',
    '$[?length(@) == 1]',
    ['😀', 'ab', [1], { a: 1 }, 1],
    ['😀', [1], { a: 1 }],
  ],
  ['count()', '$[?count(@.*) == 2]', [[1, 2], [1], { a: 1, b: 2 }], [[1, 2], { a: 1, b: 2 }]],
  ['value()', '$[?value(@..a) == 1]', [{ a: 1 }, { a: 1, b: { a: 1 } }], [{ a: 1 }]],
  ['match() is about all of the text', `$[?match(@, 'a.')]`, ['ab', 'abc', 'a', 1], ['ab']],
  ['search() is about a part of it', `$[?search(@, 'b.')]`, ['abc', 'ab'], ['abc']],
  ['a dot is no end of a line', `$[?match(@, '.')]`, ['a', '\n', '\r'], ['a']],
  [
    'a dot is any other character',
    `$[?search(@, '^.$')]`,
    ['\u2028', '\u2029', '\u0085'],
    ['\u2028', '\u2029', '\u0085'],
  ],
  ['classes of Unicode', `$[?match(@, '\\\\p{Lu}')]`, ['A', 'a', 'Ä'], ['A', 'Ä']],
  ['a pattern that is none matches nothing', `$[?match(@, '(')]`, ['('], []],
]

const refused = [
  ...[
    'a',
    '@.a',
    '$.',
    '$..',
    '$a',
    '$[',
    '$[]',
    '$[a]',
    '$[1',
    '$[01]',
    '$[-0]',
    '$[1.0]',
    '$[1:2:3:4]',
    '$[9007199254740992]',
  ],
  ...[
    '$..[]',
    '$.[*',
    '$["a]',
    `$['\\"']`,
    `$["\\uD800"]`,
    '$["\u0000"]',
    '$[?]',
    '$[?1]',
    '$[?@ == ]',
    '$[?@ = 1]',
    '$[?@.* == 1]',
    '$[?true]',
  ],
  ...[
    '$[?@ == 01]',
    '$[?@ == TRUE]',
    '$[?length(@)]',
    '$[?length() == 1]',
    '$[?count(1) == 1]',
    '$[?match(@, "a") == true]',
    '$[?value(@.*)]',
  ],
]

t.test('every rule of RFC 9535, by cases of our own', async (t) => {
  for (const [name, selector, document, result] of rows)
    t.ok(isRight({ name, selector, document, result }), `${name}: ${selector}`)
})

t.test('what is no path is refused', async (t) => {
  for (const selector of refused)
    t.ok(isRight({ name: selector, selector, document: {}, invalid_selector: true }), selector)
})

t.test('the compliance suite passes but for what a decision names', async (t) => {
  const suite: readonly PathCase[] | null = readSuite()
  const decisions = readFileSync(new URL('../../../docs/decisions/checks.md', import.meta.url), 'utf8')
  const excepted = ['basic, no leading whitespace', 'basic, no trailing whitespace']
  for (const name of excepted) t.ok(decisions.includes(`"${name}"`), `${name} is a decision`)
  if (suite === null) return t.comment('the suite is not at hand; the cases above were run alone')
  t.ok(suite.length >= 703)
  const wrong = suite.filter((one) => !isRight(one)).map(({ name }) => name)
  t.same(wrong, excepted)
  t.comment(`${suite.length - wrong.length} of ${suite.length} cases of the suite pass`)
})
