import t from 'tap'
import { type Content, html, markupOf } from '../../../../../control-plane/platform/web/html/html.ts'
import { createLocale } from '../../../../../control-plane/platform/web/html/locale.ts'
import { count, number, say } from '../../../../../control-plane/platform/web/html/say.ts'
import { partsOf } from '../../../../../control-plane/platform/web/html/template.ts'
import { utc } from '../../../../../control-plane/platform/web/html/utc.ts'
import { ago, lasted, relative } from '../../../../../control-plane/platform/web/html/words.ts'

const de = createLocale('de', {
  'Sign out': 'Abmelden',
  Overview: 'Übersicht',
  'Signed in as <0>{0}</0> ({1})': '{1} ist angemeldet: <0>{0}</0>',
  'It is in <0/> of {0}.': 'In {0} steht es, in <0/>.',
  'Remove {0}': '{0} entfernen',
  Unsafe: '<script>alert(1)</script>',
  '# checks': { one: '# Check', other: '# Checks' },
  'just now': 'gerade eben',
})
const inGerman = (content: Content): string => markupOf(html`${content}`, de)

t.test('words of literals are translated, whatever is put in is not', async (t) => {
  const button = (name: string) =>
    html`<button aria-label="Remove ${name}" class="Overview">Sign out</button><b>${name}</b>`
  t.equal(
    inGerman(button('Overview')),
    '<button aria-label="Overview entfernen" class="Overview">Abmelden</button><b>Overview</b>',
  )
  t.equal(markupOf(button('x')), '<button aria-label="Remove x" class="Overview">Sign out</button><b>x</b>')
})

t.test(
  'a sentence is one message with its elements, and a translation may turn their order around',
  async (t) => {
    const who = html`<p>
  Signed in as <strong title="${'"'}">${'Ada'}</strong> (${'<a@b>'})</p>`
    t.equal(inGerman(who), '<p>\n  &lt;a@b&gt; ist angemeldet: <strong title="&quot;">Ada</strong></p>')
    const where = html`<i>It is in <code>Overview</code> of ${1}.</i>`
    t.equal(inGerman(where), '<i>In 1 steht es, in <code>Overview</code>.</i>')
  },
)

t.test('translations bring no markup in', async (t) => {
  t.equal(inGerman(html`<p>Unsafe</p>${say('Unsafe')}`).includes('<script'), false)
})

t.test('what has no translation is said in English', async (t) => {
  t.equal(inGerman(html`<p>Nobody knows <b>this</b></p>`), '<p>Nobody knows <b>this</b></p>')
  t.equal(inGerman(say('Not from {0}', 'here')), 'Not from here')
})

t.test('plural forms are those of the language, and of English where it has none', async (t) => {
  const checks = (n: number) => count(n, { one: '# check', other: '# checks' })
  t.strictSame([1, 2000].map(checks).map(inGerman), ['1 Check', '2.000 Checks'])
  t.strictSame(
    [1, 2000].map(checks).map((each) => markupOf(html`${each}`)),
    ['1 check', '2,000 checks'],
  )
  const ru = createLocale('ru', {
    '# checks': { one: '# проверка', few: '# проверки', many: '# проверок', other: '# проверки' },
  })
  t.strictSame(
    [1, 3, 5, 21].map(checks).map((each) => markupOf(html`${each}`, ru)),
    ['1 проверка', '3 проверки', '5 проверок', '21 проверка'],
  )
  t.equal(inGerman(count(2, { one: '# day', other: '# days' })), '2 days')
})

t.test('numbers, instants and spans are written in the language', async (t) => {
  const at = Date.UTC(2026, 2, 4, 5, 6, 7)
  t.equal(inGerman(number(12_345.5)), '12.345,5')
  t.match(inGerman(utc(at)), /<time datetime="2026-03-04T05:06:07.000Z">4\. März 2026.*05:06:07 UTC</)
  t.equal(inGerman(lasted(180_000)), '3 Minuten')
  t.equal(inGerman(ago(at, at + 7_200_000)), 'vor 2 Stunden')
  t.equal(inGerman(relative(at, at - 7_200_000)), 'in 2 Stunden')
  t.equal(inGerman(ago(at, at)), 'gerade eben')
  t.equal(markupOf(html`${ago(at, at + 7_200_000)}`), '2 hours ago')
})

/** The ids of a template without holes. */
const idsOf = (text: string): string[] =>
  partsOf(text.split('§')).flatMap((part) => (typeof part === 'object' ? [part.id] : []))

t.test('what has no words, or none for people, is no message', async (t) => {
  for (const text of [
    ':root{--line:red} h1{font:inherit}',
    ' aria-current="page"',
    ' checked',
    'id="§" data-part',
    'id="§" name="§"§',
    '<a href="§">§</a> · <b>§</b>',
    '<code>npm start</code>',
    '<style>a b</style><script>let words</script>',
  ])
    t.strictSame(idsOf(text), [], text)
})

t.test('elements without a sentence around them are messages of their own', async (t) => {
  t.strictSame(idsOf('<a>Edit</a> · <a>Delete</a>'), ['Edit', 'Delete'])
  t.strictSame(idsOf('<label>API key<span>The first &amp; last</span></label>'), [
    'API key<0>The first & last</0>',
  ])
  t.strictSame(idsOf('<p>One</p>\n  text\n of two <br>Three <b>open'), [
    'One',
    'text of two',
    'Three',
    'open',
  ])
})
