import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { retainText } from '../../../../../../control-plane/platform/web/http/answers/retained-text.ts'
import { testApp } from '../../../../../support/app.ts'

t.test(
  'documents of the API are packed for who can unpack them, and not sent again to who has them',
  async (t) => {
    const { url } = await testApp(t)
    for (const path of ['/openapi.json', '/swagger.json', '/docs', '/docs/checks']) {
      const plain = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'identity' } })
      const text = await plain.text()
      const etag = plain.headers.get('etag') ?? ''
      t.match(etag, /^W\/"[\w-]{22}"$/, path)
      t.equal(plain.headers.get('vary'), 'accept-encoding')
      t.equal(plain.headers.get('content-encoding'), null)
      const packed = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      t.equal(packed.headers.get('content-encoding'), 'gzip')
      t.ok(Number(packed.headers.get('content-length')) < text.length / 3, `${path} is a third at most`)
      t.equal(await packed.text(), text)
      for (const known of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
        const again = await fetch(`${url}${path}`, { headers: { 'if-none-match': known } })
        t.equal(again.status, 304, `${path} ${known}`)
        t.equal(again.headers.get('etag'), etag)
        t.equal(await again.text(), '')
      }
      const other = await fetch(`${url}${path}`, { headers: { 'if-none-match': 'W/"other"' } })
      t.equal(other.status, 200)
      t.equal(await other.text(), text)
    }
  },
)

t.test('a text is packed once', async (t) => {
  const retained = retainText('a text '.repeat(100), {})
  t.equal(retained.gzip(), retained.gzip())
  t.equal(gunzipSync(retained.gzip()).toString(), 'a text '.repeat(100))
})
