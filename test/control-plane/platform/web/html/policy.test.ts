/** Addresses that owners of status pages choose add sources to a page's policy, and nothing else. */
import t from 'tap'
import { policyOf } from '../../../../../control-plane/platform/web/html/document.ts'
import { testApp } from '../../../../support/app.ts'

/** Hosts of the URL standard that would be more than a host in a policy. */
const hostile = [
  'https://a;sandbox/logo.png',
  "https://a;script-src'unsafe-inline'/logo.png",
  'https://a,default-src/logo.png',
  "https://a;script-src-elem'unsafe-inline'*/logo.png",
  'https://a.example;report-uri/logo.png',
]

const namesIn = (policy: string | null) =>
  (policy ?? '').split(/[;,]/).map((directive) => directive.trim().split(/\s+/)[0])

t.test('no address begins a directive or a policy of its own', async (t) => {
  const parts = { styles: [], hasForm: true, hasMedia: true, connects: true }
  const names = namesIn(policyOf(parts))
  for (const address of hostile) {
    const { origin } = new URL(address)
    const policy = policyOf({ ...parts, pictures: [origin, 'https://cdn.example'], framedBy: [origin] })
    t.strictSame(namesIn(policy), names, address)
    t.match(policy, "img-src 'self' https://cdn.example;")
    t.match(policy, "frame-ancestors 'none'")
  }
  for (const origin of ['https://cdn.example', 'http://[2001:db8::1]:8080', 'https://a_b.example:8443'])
    t.match(policyOf({ ...parts, pictures: [origin] }), `img-src 'self' ${origin};`)
})

t.test('logos and icons of a status page do not change what it allows', async (t) => {
  const plane = await testApp(t)
  const policyWith = async (more: object): Promise<string | null> => {
    const url = `page-${plane.app.newId()}`
    const made = await plane.call('POST', '/v1/status-pages', {
      body: { name: 'a', url, cards: [], ...more },
    })
    if (made.status === 400) return null
    t.equal(made.status, 201, made.text)
    const page = await fetch(`${plane.url}/status/${url}`, { headers: { accept: 'text/html' } })
    t.equal(page.status, 200)
    return page.headers.get('content-security-policy')
  }
  const names = namesIn(await policyWith({}))
  let shown = 0
  for (const address of hostile)
    for (const field of ['logo', 'logoDark', 'favicon']) {
      const policy = await policyWith({ [field]: address })
      if (policy === null) continue
      shown += 1
      t.strictSame(namesIn(policy), names, `${field}: ${address}`)
    }
  t.ok(shown > 0)
  t.comment(`${hostile.length * 3} attempts, ${shown} of them stored, none in a policy`)
})
