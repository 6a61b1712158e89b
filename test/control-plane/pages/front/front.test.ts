// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { openSession } from '../../../../control-plane/platform/web/http/auth/session.ts'
import { alertRoom } from '../../../support/alert-room.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const browser = { accept: 'text/html' }

for (const engine of engineNames)
  t.test(`the first page: results only for who is signed in (${engine})`, async (t) => {
    const room = await alertRoom(t, engine)
    const { app, accountId, call, addCheck, run, addKey } = room
    const name = 'Shop </a><script>alert(1)</script>'
    await addCheck({ name })
    await run('pf')
    const program = await call('GET', '/', { key: null })
    t.equal(program.status, 404)
    t.equal(program.body.statusCode, 404, 'programs get JSON')
    const open = (headers: Record<string, string> = {}) =>
      call('GET', '/', { key: null, headers: { ...browser, ...headers } })
    const { status, text } = await open()
    t.equal(status, 200)
    t.match(text, 'href="/sign-in"')
    t.match(text, 'href="/docs"')
    t.notMatch(text, 'Shop')
    const { userId } = await addPerson(room, { email: 'ada@example.com' })
    const facts = { userId, apiKeyId: null, address: '', browser: '' }
    const own = await openSession(app, { ...facts, accountId })
    const signedIn = await open({ cookie: own.split(';')[0] ?? '' })
    t.match(signedIn.text, '1 failing, 0 degraded')
    t.match(signedIn.text, 'Shop &lt;/a&gt;&lt;script&gt;')
    t.notMatch(signedIn.text, '<script>alert')
    const link = /href="http:\/\/localhost:8080(\/results\/[\w-]+)"/.exec(signedIn.text)?.[1] ?? ''
    t.equal((await call('GET', link, { key: null, headers: browser })).status, 200)
    const other = await addKey()
    const stranger = await addPerson(room, { email: 'eve@example.com', accountId: other.accountId })
    const theirs = await openSession(app, { ...facts, userId: stranger.userId, accountId: other.accountId })
    const elsewhere = await open({ cookie: theirs.split(';')[0] ?? '' })
    t.match(elsewhere.text, 'No check has been run yet')
    t.notMatch(elsewhere.text, 'Shop')
  })

t.test('addresses that clients print of a test lead to its page, and nowhere else', async (t) => {
  const { url, accountId } = await testApp(t)
  const id = '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10'
  const leadsTo = async (path: string) => {
    const { status, headers } = await fetch(`${url}${path}`, { redirect: 'manual' })
    return status === 303 ? headers.get('location') : status
  }
  const test = `/accounts/${accountId}/test-sessions/${id}`
  t.equal(await leadsTo(test), `/app/test-sessions/${id}`)
  t.equal(await leadsTo(`${test}/results/${id}`), `/app/test-sessions/${id}`)
  t.equal(await leadsTo(`/accounts/${accountId}/test-sessions/%2F%2Fevil.example`), 400)
})
