// Runs in test:all only: it hashes a hundred passwords.
// Runs on both engines in test:all: its statements run in no other file.
/** Passwords, second factors, links that are good once, and invites by page. */
import { randomBytes, scryptSync } from 'node:crypto'
import t, { type Test } from 'tap'
import { putPassword } from '../../../../control-plane/access/credentials/queries.ts'
import { codeOf, stepAt } from '../../../../control-plane/access/credentials/totp.ts'
import { forgottenPasswordTick } from '../../../../control-plane/access/sign-in/forgotten-password.ts'
import { newLinkToken, ownerEmail, storeLink } from '../../../../control-plane/access/sign-in/links.ts'
import { eachEngine, type TestApp, testApp } from '../../../support/app.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'
import { signedIn, signedInAs, visitorOf } from '../../../support/visitor.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

const linkFor = async (
  { app }: TestApp,
  userId: string,
  purpose: 'FIRST' | 'OPERATOR' | 'FORGOTTEN' = 'OPERATOR',
) => {
  const token = newLinkToken(app)
  await app.db.transaction((trx) => storeLink(trx, { userId, purpose, now: app.clock.now(), token }))
  return `/sign-in/first/${token}`
}

/** By a link, with a hash of the full cost. */
const withPassword = async (t: Test, plane: TestApp) => {
  const person = await addPerson(plane, { email, role: 'ADMIN' })
  const visitor = visitorOf(plane)
  const answer = await visitor.post(await linkFor(plane, person.userId), { password })
  t.equal(answer.status, 303, answer.text)
  return { ...person, visitor }
}

/** As the store would have it if hashing cost next to nothing. */
const cheapHash = (): string => {
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 })
  return `scrypt$4$8$1$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** Where passwords are only a way in, and many are tried: a hash of the full cost takes a third of a second. */
const withCheapPassword = async (t: Test, plane: TestApp) => {
  const person = await addPerson(plane, { email, role: 'ADMIN' })
  const { app } = plane
  await app.db.run(putPassword, { userId: person.userId, hash: cheapHash(), now: app.clock.now() })
  const visitor = visitorOf(plane)
  const answer = await visitor.post('/sign-in', { email, password })
  t.equal(answer.status, 303, answer.text)
  return { ...person, visitor }
}

const base32Bytes = (text: string): Buffer => {
  const bits = [...text]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

eachEngine('a link that is good once sets a password, which signs in from then on', async (t, plane) => {
  const { userId } = await addPerson(plane, { email: ownerEmail, role: 'OWNER' })
  const link = await linkFor(plane, userId, 'FIRST')
  const visitor = visitorOf(plane)
  t.match((await visitor.get(link)).text, 'Welcome to Watchpost')
  t.match((await visitor.get(link)).text, 'Welcome to Watchpost', 'looking uses nothing up')
  t.match((await visitor.post(link, { email, password: 'short' })).text, /at least 12/)
  t.match((await visitor.post(link, { email: 'nobody', password })).text, /not an e-mail/)
  const done = await visitor.post(link, { email: 'Ada@Example.com', name: 'Ada', password })
  t.equal(done.headers.get('location'), '/app')
  t.match((await visitor.get('/app/profile')).text, 'Ada')
  t.equal((await visitor.post(link, { email, password })).status, 404, 'used')
  const other = visitorOf(plane)
  t.equal((await other.post('/sign-in', { email: ' ADA@example.com', password })).status, 303)
  t.match((await other.get('/app')).text, 'Owner')
})

eachEngine('a link ends after its time, and with a newer one', async (t, plane) => {
  const { userId } = await addPerson(plane, { email })
  const old = await linkFor(plane, userId)
  const link = await linkFor(plane, userId)
  t.equal((await visitorOf(plane).get(old)).status, 404)
  t.equal((await visitorOf(plane).get(link)).status, 200)
  plane.advance(86_400_001)
  t.equal((await visitorOf(plane).post(link, { password })).status, 404)
})

t.test('nobody learns who is known here: not by words, and not by what is computed', async (t) => {
  const plane = await testApp(t)
  await withPassword(t, plane)
  const known = await visitorOf(plane).post('/sign-in', { email, password: 'wrong password' })
  const unknown = await visitorOf(plane).post('/sign-in', {
    email: 'eve@example.com',
    password: 'wrong password',
  })
  const form = (text: string) => text.replace(/value="[^"]*"|data-options="[^"]*"/g, '')
  t.equal(known.status, 401)
  t.equal(form(known.text), form(unknown.text))
  t.equal(unknown.status, 401)
  const costOf = async (address: string) => {
    const costs: number[] = []
    for (let sample = 0; sample < 3; sample += 1) {
      const before = cpuTimeMs()
      await visitorOf(plane).post('/sign-in', { email: address, password: 'wrong password' })
      costs.push(cpuTimeMs() - before)
    }
    return Math.min(...costs)
  }
  const [first, second] = [await costOf(email), await costOf('eve2@example.com')]
  t.ok(second > first / 2, `an unknown user costs a hash, too: ${first} and ${second} ms of the processor`)
})

t.test('wrong passwords are limited for an account, and one address cannot keep others out', async (t) => {
  const plane = await testApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
  await withCheapPassword(t, plane)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const statuses: number[] = []
  for (let i = 0; i < 12; i += 1)
    statuses.push(
      (await visitorOf(plane).post('/sign-in', { email, password: `wrong ${i}` }, from('203.0.113.1')))
        .status,
    )
  t.strictSame(statuses, [...Array(10).fill(401), 429, 429])
  const shut = await visitorOf(plane).post('/sign-in', { email, password }, from('203.0.113.1'))
  t.equal(shut.status, 429, 'a right one, too')
  t.match(shut.text, 'Try again in 15 minutes')
  t.equal((await visitorOf(plane).post('/sign-in', { email, password }, from('203.0.113.2'))).status, 303)
})

eachEngine('a second factor is asked for, each code is good once, and paper helps', async (t, plane) => {
  const { visitor } = await withCheapPassword(t, plane)
  const setup = await visitor.post('/app/profile/totp')
  const [, shown = ''] = /<code>([A-Z2-7 ]+)<\/code>/.exec(setup.text) ?? []
  t.match(setup.text, /<svg class="qr" viewBox="0 0 \d+ \d+"/)
  const secret = base32Bytes(shown.replaceAll(' ', ''))
  const code = () => codeOf(secret, stepAt(plane.app.clock.now()))
  t.equal((await visitor.post('/app/profile/totp/confirm', { code: '000000' })).status, 400)
  const early = visitorOf(plane)
  t.equal(
    (await early.post('/sign-in', { email, password })).headers.get('location'),
    '/app',
    'not on before',
  )
  const codes = await visitor.post('/app/profile/totp/confirm', { code: code() })
  const paper = [...codes.text.matchAll(/<li>([0-9a-f-]{19})<\/li>/g)].map(([, each = '']) => each)
  t.equal(paper.length, 10)
  const stored = await plane.app.db.select((k) => k.selectFrom('user_totp').selectAll())
  t.notMatch(JSON.stringify(stored), secret.toString('base64'), 'sealed')

  const next = visitorOf(plane)
  const asked = await next.post('/sign-in', { email, password, next: '/app/sessions' })
  t.equal(asked.headers.get('location'), '/sign-in/code')
  t.equal((await next.get('/app')).status, 303, 'the password alone opens nothing')
  t.equal(
    (await next.post('/sign-in/code', { code: code() })).status,
    401,
    'the code that turned it on was used',
  )
  plane.advance(30_000)
  const now = code()
  const done = await next.post('/sign-in/code', { code: now })
  t.equal(done.headers.get('location'), '/app/sessions')
  const replay = visitorOf(plane)
  await replay.post('/sign-in', { email, password })
  t.equal((await replay.post('/sign-in/code', { code: now })).status, 401, 'seen over a shoulder')
  t.equal((await replay.post('/sign-in/code', { code: paper[3] ?? '' })).status, 303)
  const again = visitorOf(plane)
  await again.post('/sign-in', { email, password })
  t.equal((await again.post('/sign-in/code', { code: paper[3] ?? '' })).status, 401, 'paper is good once')
  t.equal(
    (await visitorOf(plane).post('/sign-in/code', { code: code() })).headers.get('location'),
    '/sign-in',
  )
  for (const wrong of [{}, { code: '000000' }, { code: now }])
    t.equal(
      (await visitor.post('/app/profile/totp/remove', wrong)).status,
      400,
      'it is not turned off without it',
    )
  t.equal((await plane.app.db.select((k) => k.selectFrom('user_totp').selectAll())).length, 1)
  const off = await visitor.post('/app/profile/totp/remove', { code: paper[5] ?? '' })
  t.equal(off.status, 303, off.text)
  t.strictSame(await plane.app.db.select((k) => k.selectFrom('user_totp').selectAll()), [])
})

eachEngine(
  'a new password ends the sessions of other browsers, and needs a sign-in of now',
  async (t, plane) => {
    const { visitor } = await withCheapPassword(t, plane)
    const other = visitorOf(plane)
    await other.post('/sign-in', { email, password })
    t.equal((await other.get('/app')).status, 200)
    t.equal((await visitor.post('/app/profile/password', { password: 'a new one of mine' })).status, 200)
    t.equal((await other.get('/app')).status, 303)
    t.equal((await visitor.get('/app')).status, 200)
    t.equal((await other.post('/sign-in', { email, password })).status, 401)
    plane.advance(15 * 60_000 + 1)
    const old = await visitor.post('/app/profile/password', { password: 'another one of mine' })
    t.equal(old.headers.get('location'), '/sign-in?next=/app/profile')
  },
)

eachEngine('sessions are listed, and end one by one or all others at once', async (t, plane) => {
  const { visitor, apiKey } = await withCheapPassword(t, plane)
  const hostile = visitorOf(plane)
  const browser = '<script>alert(1)</script>'
  await hostile.post('/sign-in', { email, password }, { 'user-agent': browser })
  const third = await signedIn(t, plane, apiKey)
  const stranger = await signedIn(t, plane)
  const page = await visitor.get('/app/sessions')
  t.notMatch(page.text, browser)
  t.match(page.text, '&lt;script&gt;')
  const ids = [...page.text.matchAll(/sessions\/([0-9a-f-]{36})\/end/g)].map(([, id]) => id)
  t.equal(ids.length, 2, 'the other two of the user, and nobody else’s')
  await stranger.post(`/app/sessions/${ids[0]}/end`)
  t.match((await visitor.get('/app/sessions')).text, ids[0] ?? 'none', 'nobody ends the sessions of others')
  t.notMatch((await stranger.get('/app/sessions')).text, /sessions\/[^"]*\/end/, 'a key has its own alone')
  await visitor.post('/app/sessions/end-others')
  t.equal((await hostile.get('/app')).status, 303)
  t.equal((await third.get('/app')).status, 303)
  t.equal((await visitor.get('/app')).status, 200)
  t.equal((await stranger.get('/app')).status, 200)
})

eachEngine('an invite is accepted on a page, and joined by who is known already', async (t, plane) => {
  const { body } = await plane.call('POST', '/v1/accounts/me/invites', {
    body: { email, role: 'READ_WRITE' },
  })
  const visitor = visitorOf(plane)
  const page = await visitor.get(`/invites/${body.token}`)
  t.match(page.text, 'May change')
  t.match((await visitor.post(`/invites/${body.token}`, { password: 'ada@example.com' })).text, /not made of/)
  const done = await visitor.post(`/invites/${body.token}`, { name: '<b>Ada</b>', password })
  t.equal(done.status, 303, done.text)
  t.match((await visitor.get('/app/profile')).text, '&lt;b&gt;Ada')
  t.equal((await visitor.get(`/invites/${body.token}`)).status, 404)

  const { apiKey } = await plane.addKey()
  const second = await plane.call('POST', '/v1/accounts/me/invites', {
    key: apiKey,
    body: { email, role: 'ADMIN' },
  })
  const link = `/invites/${second.body.token}`
  const thief = await visitorOf(plane).post(link, { password })
  t.equal(thief.headers.get('location'), `/sign-in?next=${link}`, 'a token alone opens no user')
  t.match((await visitor.get(link)).text, 'Join as ada@example.com')
  t.equal((await visitor.post(link)).headers.get('location'), '/app')
})

eachEngine('who is removed has no way in any more', async (t, plane) => {
  const { userId, visitor } = await withCheapPassword(t, plane)
  t.equal((await plane.call('DELETE', `/v1/accounts/me/members/${userId}`)).status, 204)
  plane.advance(5001)
  t.equal((await visitor.get('/app')).status, 303)
  t.equal((await visitorOf(plane).post('/sign-in', { email, password })).status, 401)
  for (const table of ['user_passwords', 'user_sessions'] as const)
    t.strictSame(await plane.app.db.select((k) => k.selectFrom(table).selectAll() as never), [], table)
})

eachEngine('a link that anybody can ask for ends no other, and a used one ends all', async (t, plane) => {
  const { userId } = await addPerson(plane, { email })
  const operators = await linkFor(plane, userId)
  const mailed = await linkFor(plane, userId, 'FORGOTTEN')
  const strangers = await linkFor(plane, userId, 'FORGOTTEN')
  for (const link of [operators, mailed, strangers]) t.equal((await visitorOf(plane).get(link)).status, 200)
  const answers = await Promise.all(
    [mailed, strangers].map((link) => visitorOf(plane).post(link, { password })),
  )
  t.strictSame(answers.map(({ status }) => status).toSorted(), [303, 404], 'of two at once, one')
  for (const link of [operators, mailed, strangers]) t.equal((await visitorOf(plane).get(link)).status, 404)
  const left = await linkFor(plane, userId, 'FORGOTTEN')
  const visitor = await signedInAs(plane, userId)
  await visitor.post('/app/profile/password', { password: 'a new one of mine' })
  t.equal((await visitorOf(plane).get(left)).status, 404, 'nor is one left by a new password')
})

eachEngine('a key is no way to become its user for good', async (t, plane) => {
  const { userId, apiKey } = await addPerson(plane, { email, role: 'ADMIN' })
  const visitor = await signedIn(t, plane, apiKey)
  const page = await visitor.get('/app/profile')
  t.equal(page.status, 403)
  t.match(page.text, 'let in by an API key')
  for (const path of ['password', 'totp', 'totp/confirm', 'totp/remove', 'passkeys', 'passkeys/remove'])
    t.equal(
      (await visitor.post(`/app/profile/${path}`, { password, code: '123456', id: 'x', response: '{}' }))
        .status,
      403,
      path,
    )
  for (const table of ['user_passwords', 'user_totp', 'user_passkeys'] as const)
    t.strictSame(await plane.app.db.select((k) => k.selectFrom(table).selectAll() as never), [], table)
  t.equal((await (await signedInAs(plane, userId)).get('/app/profile')).status, 200, 'the user themselves')
})

for (const engine of engineNames)
  t.test(
    `who forgot a password gets a mail, and the answer is the same for everybody (${engine})`,
    async (t) => {
      const none = await testApp(t, { engine })
      t.equal((await visitorOf(none).get('/sign-in/forgotten')).status, 404, 'where no mails are sent')
      const plane = await testApp(t, {
        engine,
        env: { SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'watch@example.com' },
      })
      await addPerson(plane, { email })
      const known = await visitorOf(plane).post('/sign-in/forgotten', { email })
      const unknown = await visitorOf(plane).post('/sign-in/forgotten', { email: 'eve@example.com' })
      t.equal(known.text, unknown.text)
      const mails = () => plane.app.db.select((k) => k.selectFrom('mails').select(['address', 'kind']))
      t.strictSame(await mails(), [], 'the answer does not wait for what only one of them needs')
      await forgottenPasswordTick(plane.app)
      t.strictSame(await mails(), [{ address: email, kind: 'PASSWORD' }])
      for (let asked = 0; asked < 5; asked += 1) {
        await visitorOf(plane).post('/sign-in/forgotten', { email })
        await forgottenPasswordTick(plane.app)
      }
      t.equal((await mails()).length, 3, 'nobody fills a mailbox')
      plane.advance(3_600_001)
      await visitorOf(plane).post('/sign-in/forgotten', { email: ' ADA@example.com' })
      await forgottenPasswordTick(plane.app)
      t.equal((await mails()).length, 4)
    },
  )
