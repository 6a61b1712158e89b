import { hash } from 'node:crypto'
import t from 'tap'
import { requestedRange } from '../../../../control-plane/monitoring/artifacts/byte-range.ts'
import { testWorld } from '../../../support/world.ts'

t.test(
  'a file is served whole or in parts, behind the account’s key, and never as a page of ours',
  async (t) => {
    const world = await testWorld(t)
    const { plane } = world
    const name = await world.id('/v1/check-results/*/*/assets')
    const [checkId, resultId] = [await world.id('/v1/check-results'), await world.id('/v1/check-results/*')]
    const path = `/v1/check-results/${checkId}/${resultId}/assets/${name}`
    const whole = await plane.call('GET', path)
    const text = 'what was on the wire'
    const etag = `"${hash('sha256', text, 'hex')}"`
    t.match(whole, { status: 200, text })
    t.match(Object.fromEntries(whole.headers), {
      'content-type': 'application/octet-stream',
      'content-length': String(text.length),
      'content-disposition': /^attachment; filename="first-attempt\.pcap"/,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /sandbox/,
      'accept-ranges': 'bytes',
      etag,
    })
    const head = await plane.call('HEAD', path)
    t.match(head, { status: 200, text: '' })
    t.equal(head.headers.get('content-length'), String(text.length))

    const ranged = await plane.call('GET', path, { headers: { range: 'bytes=5-7' } })
    t.match(ranged, { status: 206, text: 'was' })
    t.equal(ranged.headers.get('content-range'), `bytes 5-7/${text.length}`)
    t.equal(ranged.headers.get('content-length'), '3')
    const beyond = await plane.call('GET', path, { headers: { range: 'bytes=99-' } })
    t.match(beyond, { status: 416, body: { message: /20 bytes/ } })
    t.equal(beyond.headers.get('content-range'), 'bytes */20')
    const other = await plane.call('GET', path, { headers: { range: 'bytes=5-7', 'if-range': '"x"' } })
    t.match(other, { status: 200, text })

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await plane.call('GET', path, { headers: { 'if-none-match': known, range: 'bytes=5-7' } })
      t.match(same, { status: 304, text: '' }, known)
      t.match(Object.fromEntries(same.headers), { etag, 'cache-control': 'private, no-cache' })
      t.notOk(same.headers.has('content-type'))
    }
    t.match(await plane.call('GET', path, { headers: { 'if-none-match': '"other"' } }), { status: 200, text })
    t.equal((await plane.call('GET', path, { key: null, headers: { 'if-none-match': '*' } })).status, 401)

    t.equal((await plane.call('GET', path, { key: null })).status, 401)
    const { apiKey: key } = await plane.addKey()
    t.equal((await plane.call('GET', path, { key })).status, 404, 'for another account it is not there')
    t.equal((await plane.call('GET', `${path}x`)).status, 404)

    await plane.app.artifacts.store.remove(hash('sha256', `${resultId}\n${name}`, 'hex'))
    t.match(await plane.call('GET', path), { status: 404, body: { message: /not in the store/ } })
  },
)

t.test('what a Range asks for', async (t) => {
  const file = { size: 100, tag: '"x"' }
  for (const [range, expected] of [
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=90-200', { start: 90, end: 100 }],
    ['bytes=-10', { start: 90, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['bytes=100-', 'outside'],
    ['bytes=-0', 'outside'],
    ['bytes=5-4', null],
    ['bytes=-', null],
    ['bytes=0-1,5-6', null],
    ['items=0-1', null],
    ['', null],
  ] as const)
    t.strictSame(requestedRange({ range }, file), expected, range)
  t.strictSame(requestedRange({ range: 'bytes=0-', 'if-range': '"x"' }, file), { start: 0, end: 100 })
  t.strictSame(requestedRange({ range: 'bytes=0-' }, { ...file, size: 0 }), 'outside')
})
