import t from 'tap'
import { html, markupOf } from '../../../../../control-plane/platform/web/html/html.ts'
import { notice } from '../../../../../control-plane/platform/web/html/html-page.ts'
import { fc } from '../../../../support/fast-check.ts'

t.test('whatever is put in, between tags or into an attribute, stays text', async () => {
  const hostile = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=1>',
    "' onload='1",
    '&lt;',
  )
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
      const [, attribute = '', inner = ''] = /^<p title="(.*?)">(.*)<\/p>$/s.exec(
        markupOf(html`<p title="${text}">${[text]}</p>`),
      ) ?? [undefined, '<', '<']
      return attribute === inner && !/[<>"']/.test(inner) && !/&(?!amp;|lt;|gt;|quot;|#39;)/.test(inner)
    }),
    { numRuns: 200 },
  )
})

t.test('pieces are put in as they are; data that looks like a piece is none', async (t) => {
  t.equal(
    markupOf(html`<i>${html`<b>${1}</b>`}${null}${false}${['a', html`<br>`]}</i>`),
    '<i><b>1</b>a<br></i>',
  )
  const forged = JSON.parse('{"Symbol(markup)":"<script>","markup":"<script>"}')
  t.throws(() => markupOf(html`${forged}`))
})

t.test('text cannot be turned around, and control characters show', async (t) => {
  t.equal(markupOf(html`${'a\u202eb\u0000c\nd'}`), 'a\ufffdb\ufffdc\nd')
})

t.test('a page has its style and nothing else: the policy names that one style', async (t) => {
  const { body, headers = {} } = notice({ title: 'Hello', text: ['one', 'two'] })
  t.match(body, /<title>Hello<\/title>.*<h1>Hello<\/h1><p>one<\/p><p>two<\/p>/s)
  t.notMatch(body, /<script|<link|\bstyle="|\bon\w+=|src=/)
  t.match(headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-[\w+/=]{44}';/)
  t.match(headers['content-security-policy'], /form-action 'none'$/)
})
