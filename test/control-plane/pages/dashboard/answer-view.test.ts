/** What the API answers and refuses, as people read it in their language. */
import t from 'tap'
import { answerView } from '../../../../control-plane/pages/dashboard/answer-view.ts'
import { problemInList } from '../../../../control-plane/pages/dashboard/forms/form-words.ts'
import { catalogs } from '../../../../control-plane/pages/dashboard/translations/catalogs.ts'
import { type Content, html, markupOf } from '../../../../control-plane/platform/web/html/html.ts'
import { createLocale, english } from '../../../../control-plane/platform/web/html/locale.ts'

const german = createLocale('de', catalogs.get('de') ?? {})

const textOf = (piece: Content, locale = english): string =>
  markupOf(html`${piece}`, locale)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const observed = { description: 'Observed in local at 2026-01-01T00:00:07.000Z: refused; seen once.' }

t.test('instants are said as pages say them, also within a sentence', async (t) => {
  t.equal(
    textOf(answerView({ evidence: [observed] })),
    'Evidence Description Observed in local at 1 Jan 2026, 00:00:07 UTC : refused; seen once.',
  )
  t.match(
    textOf(answerView({ evidence: [observed] }), german),
    /Observed in local at 1\. Jan\. 2026, 00:00:07 UTC/,
  )
  t.match(markupOf(answerView(observed)), '<time datetime="2026-01-01T00:00:07.000Z">')
  t.equal(textOf(answerView('2026-01-01T00:00:07Z')), '1 Jan 2026, 00:00:07 UTC')
  t.equal(
    textOf(answerView({ name: 'at 2026-01-01T00:00:07Z' })),
    'Name at 2026-01-01T00:00:07Z',
    'a name stays',
  )
})

t.test('abbreviations are written as such, languages by their names', async (t) => {
  const answer = {
    sms: 1,
    sslCheckDomain: 'a.b',
    translations: { de: { title: 'x' }, 'pt-BR': { title: 'y' } },
  }
  t.equal(
    textOf(answerView(answer)),
    'SMS 1 SSL check domain a.b In other languages German Title x Brazilian Portuguese Title y',
  )
  t.match(textOf(answerView(answer), german), /Deutsch .* Portugiesisch/)
})

t.test('what is refused is said in the language of who reads it, with its value', async (t) => {
  for (const [problem, said] of [
    ['names a check group that does not exist: 7', 'gibt es nicht: 7'],
    ['names a private location that does not exist: nowhere', 'gibt es nicht: nowhere'],
    ['cannot be changed: it is "frankfurt"', 'kann nicht geändert werden: es ist frankfurt'],
    ['is there twice: TOKEN', 'kommt zweimal vor: TOKEN'],
    ['holds a block that is not a certificate (number 2)', 'Block 2 darin ist kein Zertifikat'],
  ] as const) {
    const violation = { path: 'groupId', rule: 'exists', message: `"groupId" ${problem}` }
    t.equal(textOf(problemInList(violation), german), `Gruppe: ${said}`)
  }
})
