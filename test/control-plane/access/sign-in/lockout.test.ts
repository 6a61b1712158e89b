// Runs in test:all only: it guesses hundreds of times.
// Runs in a process of its own: it counts the hashes of the process.
/** Strangers who guess cost themselves, and keep nobody out who was here before; the work for known and unknown people is the same. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import t, { type Test } from 'tap'

/** Each asks for the full cost, and gets a part of it: where only their number counts a smaller one than where others wait for them. */
const hashes = { count: 0, part: 32, costs: new Set<string>() }
const { scrypt } = crypto
crypto.scrypt = ((...[password, salt, length, options, done]: Parameters<typeof scrypt>) => {
  const { N = 0, r, p } = options
  hashes.count += 1
  hashes.costs.add(`${N} ${r} ${p}`)
  return scrypt(password, salt, length, { ...options, N: N / hashes.part }, done)
}) as typeof scrypt
syncBuiltinESMExports()

const { putPassword } = await import('../../../../control-plane/access/credentials/queries.ts')
const { hashPassword } = await import('../../../../control-plane/access/sign-in/password-hash.ts')
const { testApp } = await import('../../../support/app.ts')
const { byLength } = await import('../../../support/length.ts')
const { addPerson } = await import('../../../support/members.ts')
const { visitorOf } = await import('../../../support/visitor.ts')

const email = 'ada@example.com'
const password = 'correct horse battery'
/** Each number is more than there is room for. */
const strangers = byLength({
  short: { ofAddress: 40, ofSite: 90, ofNetworks: 90 },
  all: { ofAddress: 40, ofSite: 90, ofNetworks: 90 },
  long: { ofAddress: 400, ofSite: 200, ofNetworks: 250 },
})
const from = (address: string) => ({ 'x-forwarded-for': address })

const room = async (t: Test) => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'watch@example.com' }
  const plane = await testApp(t, { env: { TRUSTED_PROXIES: '127.0.0.1/32', ...mail } })
  const { userId, apiKey } = await addPerson(plane, { email, role: 'ADMIN' })
  const hash = await hashPassword(plane.app, password, { address: '', known: null })
  await plane.app.db.run(putPassword, { userId, hash, now: plane.app.clock.now() })
  const guess = (address: string, more: Record<string, string> = {}) =>
    visitorOf(plane).post('/sign-in', { email, password: 'a wrong password', ...more }, from(address))
  return { plane, guess, userId, apiKey }
}

t.test(
  'a known and an unknown address cost one hash each, and one entry of the list of who forgot',
  async (t) => {
    const { plane, guess } = await room(t)
    const countOf = async (who: string, path: string): Promise<number> => {
      hashes.count = 0
      const fields = { email: who, password: 'a wrong password' }
      await visitorOf(plane).post(path, fields, from('203.0.113.9'))
      return hashes.count
    }
    t.equal(await countOf(email, '/sign-in'), 1)
    t.equal(await countOf('eve@example.com', '/sign-in'), 1)
    t.equal((await guess('203.0.113.9')).status, 401)
    const statements: string[] = []
    const { db } = plane.app
    const counted = new Proxy(db, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        return typeof value === 'function'
          ? (...args: unknown[]) => {
              statements.push(String(name))
              return value.apply(target, args)
            }
          : value
      },
    })
    Object.assign(plane.app, { db: counted })
    for (const who of [email, 'eve@example.com']) {
      statements.length = 0
      t.equal(await countOf(who, '/sign-in/forgotten'), 0)
      t.strictSame(statements, [], `nothing is looked up or written for ${who} before the answer`)
    }
  },
)

t.test('strangers use up what strangers have, and nothing of a browser that was here', async (t) => {
  const { plane, guess, apiKey } = await room(t)
  const home = visitorOf(plane)
  t.equal((await home.post('/sign-in', { email, password }, from('203.0.113.1'))).status, 303)
  await home.post('/sign-out')
  t.ok(home.cookies.has('known-sign-in'))
  t.equal((await home.get('/app')).status, 303, 'which opens nothing by itself')

  hashes.count = 0
  for (let i = 0; i < strangers.ofAddress; i += 1) await guess('203.0.113.1')
  t.equal(hashes.count, 9, 'one address: ten for the account, of which the owner took one')
  t.equal(
    (await home.post('/sign-in', { email, password }, from('203.0.113.1'))).status,
    303,
    'the same network',
  )

  for (let i = 0; i < strangers.ofSite; i += 1) await guess(`198.51.100.${i}`)
  t.ok(hashes.count <= 60, `one site: half of what strangers have (${hashes.count} hashes)`)
  const elsewhere = await visitorOf(plane).post('/sign-in', { email, password }, from('192.0.2.1'))
  t.equal(elsewhere.status, 303, 'a new browser in a network that has not guessed')

  for (let i = 0; i < strangers.ofNetworks; i += 1) await guess(`100.64.${i}.1`)
  t.ok(hashes.count <= 103, `however many networks: ${hashes.count} hashes`)
  t.equal((await guess('192.0.2.2')).status, 429)
  for (const network of ['203.0.113.1', '192.0.2.3'])
    t.equal((await home.post('/sign-in', { email, password }, from(network))).status, 303, network)

  for (let i = 0; i < 40; i += 1)
    await visitorOf(plane).post('/sign-in', { key: `wp_${i}` }, from('203.0.113.7'))
  t.equal((await home.post('/sign-in', { key: apiKey }, from('203.0.113.7'))).status, 303, 'with a key, too')
  const tried = strangers.ofAddress + strangers.ofSite + strangers.ofNetworks
  t.comment(`${hashes.count} hashes for ${tried} guesses at an account`)
})

t.test('a browser that is known is limited as well, and for nobody else', async (t) => {
  const { plane } = await room(t)
  const home = visitorOf(plane)
  await home.post('/sign-in', { email, password })
  const known = home.cookies.get('known-sign-in') ?? ''
  const thief = (who: string) => {
    const cookies = new Map([['known-sign-in', known]])
    return visitorOf(plane, cookies).post('/sign-in', { email: who, password: 'guess' }, from('203.0.113.1'))
  }
  const statuses: number[] = []
  for (let i = 0; i < 12; i += 1) statuses.push((await thief(email)).status)
  t.strictSame(statuses, [...Array(10).fill(401), 429, 429])
  const others: number[] = []
  for (let i = 0; i < 12; i += 1) others.push((await thief('eve@example.com')).status)
  t.strictSame(others, [...Array(10).fill(401), 429, 429], 'as a stranger')
  t.equal((await visitorOf(plane).post('/sign-in', { email, password }, from('192.0.2.1'))).status, 303)
  const forged = new Map([['known-sign-in', `${known.slice(0, -2)}AA`]])
  const fields = { email: 'eve@example.com', password: 'guess' }
  const answer = await visitorOf(plane, forged).post('/sign-in', fields, from('203.0.113.1'))
  t.equal(answer.status, 429, 'what is not sealed by us is nothing')
})

t.test('who asks for links to an address takes nothing of its sign-in', async (t) => {
  const { plane } = await room(t)
  for (let i = 0; i < 60; i += 1)
    await visitorOf(plane).post('/sign-in/forgotten', { email }, from(`203.0.113.${i}`))
  t.equal((await visitorOf(plane).post('/sign-in', { email, password }, from('203.0.113.1'))).status, 303)
})

t.test('a hundred and forty guessing connections do not stop the sign-in of others', async (t) => {
  hashes.part = 8
  const { plane, guess } = await room(t)
  const guesses = Array.from({ length: 140 }, (_, i) =>
    guess(`203.0.${i % 20}.1`, { email: `person-${i % 70}@example.com` }),
  )
  const owner = visitorOf(plane).post('/sign-in', { email, password }, from('198.51.100.1'))
  t.equal((await owner).status, 303)
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  t.ok(statuses.every((status) => [401, 429, 503].includes(status)))
  t.comment(
    `guesses: ${JSON.stringify(Object.groupBy(statuses, String), (_, v) => (Array.isArray(v) ? v.length : v))}`,
  )
})

t.test('every hash of this file asked for the full cost', async (t) => {
  t.strictSame([...hashes.costs], [`${2 ** 15} 8 3`])
})
