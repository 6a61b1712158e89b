import fc from 'fast-check'
import t from 'tap'
import { createScrubber } from '../../agent/scrub.ts'
import { hideSecrets } from '../../control-plane/platform/secrets/hide-secrets.ts'
import { escapeHtml } from '../../protocol/escape-html.ts'
import { secretForms } from '../../protocol/secret-forms.ts'

const secret = `p&ss/w"rd+'<ü>-77`
const bytes = Buffer.from(secret)

/** How the others write it, made by Node. */
const written: Array<[name: string, text: string]> = [
  ['raw', secret],
  ['JSON', JSON.stringify(secret).slice(1, -1)],
  ['an address', encodeURIComponent(secret)],
  ['HTML', escapeHtml(secret)],
  ['hex', bytes.toString('hex')],
  ['hex in upper case', bytes.toString('hex').toUpperCase()],
  ['hex of an address', Buffer.from(encodeURIComponent(secret)).toString('hex')],
]

t.test('every form is there once', async (t) => {
  const forms = secretForms(secret)
  t.equal(new Set(forms).size, forms.length)
  for (const [name, text] of written) t.ok(forms.includes(text), name)
  t.ok(forms.includes(bytes.toString('base64')), 'base64')
  for (const before of ['', 'x', 'xy'])
    for (const encoding of ['base64', 'base64url'] as const) {
      const whole = Buffer.from(`${before}${secret} and more`).toString(encoding)
      t.ok(
        forms.some((form) => whole.includes(form)),
        `${encoding} after ${before.length}`,
      )
    }
})

t.test('what one program takes out, the other takes out, too', async (t) => {
  const scrubber = createScrubber([secret])
  for (const [name, text] of [...written, ['base64', bytes.toString('base64')] as const]) {
    t.equal(scrubber.text(`said ${text}, then`), 'said [secret], then', name)
    t.equal(hideSecrets(`said ${text}, then`, [secret]), 'said ***, then', name)
  }
})

t.test('any secret has its forms, whatever it is made of', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
      const forms = secretForms(value)
      return forms.includes(value) && forms.includes(Buffer.from(value).toString('hex'))
    }),
  )
})
