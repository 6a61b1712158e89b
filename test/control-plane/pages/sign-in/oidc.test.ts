// Runs on both engines in test:all: its statements run in no other file.
/** Sign-in by OpenID Connect, with a real provider that runs in the test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import t, { type Test } from 'tap'
import { realClock } from '../../../../agent/program/real-io.ts'
import { roleOfGroups } from '../../../../control-plane/access/sign-in/user-of-identity.ts'
import { readConfig } from '../../../../control-plane/read-config.ts'
import { type TestApp, type TestAppOptions, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'
import { type Visitor, visitorOf } from '../../../support/visitor.ts'

type Person = { email: string; email_verified: boolean; name: string; groups: string[] }

const clock = realClock()

/** The provider and a control plane that know each other; `people` are by their subject. */
const room = async (t: Test, people: Record<string, Person>, { engine, env }: TestAppOptions = {}) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plane = await testApp(t, {
    engine: engine ?? 'sqlite',
    env: {
      ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'watchpost', OIDC_CLIENT_SECRET: 'a-secret-of-the-client' },
      ...{ OIDC_SCOPES: 'openid email profile groups', EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
    },
    parts: { clock },
  })
  Object.assign(plane.app.config, { baseUrl: plane.url })
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'watchpost',
        client_secret: 'a-secret-of-the-client',
        redirect_uris: [`${plane.url}/sign-in/oidc/callback`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people[sub] }),
    }),
  })
  server.on('request', provider.callback())
  return { plane, issuer }
}

/** A browser at the provider: follows redirects there, signs in and consents; ends with the address that leads back. */
const atProvider = async (start: string, sub: string): Promise<string> => {
  const cookies = new Map<string, string>()
  const issuer = new URL(start).origin
  const go = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
      ...(form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    return response
  }
  let url = start
  for (let step = 0; step < 20; step += 1) {
    const response = await go(url)
    const location = response.headers.get('location')
    let next = location
    if (next === null) {
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login'
      const form = prompt === 'login' ? { prompt, login: sub, password: 'x' } : { prompt }
      next = (await go(url, form)).headers.get('location')
      if (next === null) throw new Error(page)
    }
    url = new URL(next, issuer).href
    if (!url.startsWith(issuer)) return url
  }
  throw new Error('The provider goes round in circles')
}

const signIn = async (visitor: Visitor, plane: TestApp, sub: string) => {
  const begun = await visitor.get('/sign-in/oidc?next=/app/sessions')
  const back = await atProvider(begun.headers.get('location') ?? '', sub)
  return { back, answer: await visitor.get(back.slice(plane.url.length)) }
}

const ada = { email: 'Ada@Example.com', email_verified: true, name: 'Ada', groups: ['ops'] }

for (const engine of engineNames)
  t.test(`groups are roles, and follow at every sign-in (${engine})`, async (t) => {
    const people = {
      ada: structuredClone(ada),
      eve: { ...ada, email: 'eve@example.com', groups: ['others'] },
    }
    const { plane } = await room(t, people, {
      engine,
      env: { OIDC_ROLE_MAPPING: 'ops=ADMIN, dev=READ_WRITE' },
    })
    const visitor = visitorOf(plane)
    t.match((await visitor.get('/sign-in')).text, 'Sign in with single sign-on')
    const { answer, back } = await signIn(visitor, plane, 'ada')
    t.equal(answer.headers.get('location'), '/app/sessions', answer.text)
    const home = await visitor.get('/app')
    t.match(home.text, 'Admin')
    t.match((await visitor.get('/app/profile')).text, 'Ada')
    const replayed = await visitor.get(back.slice(plane.url.length))
    t.equal(replayed.status, 401, 'an answer of the provider is good once')
    const thief = visitorOf(plane)
    t.equal(
      (await thief.get(back.slice(plane.url.length))).headers.get('location'),
      '/sign-in',
      'and in one browser',
    )

    people.ada.groups = ['dev']
    const again = visitorOf(plane)
    t.equal((await signIn(again, plane, 'ada')).answer.status, 303)
    t.match((await again.get('/app')).text, 'May change')
    const { body: members } = await plane.call('GET', '/v1/accounts/me/members')
    t.equal(JSON.stringify(members).split('ada@example.com').length, 2, 'one member')

    const refused = await signIn(visitorOf(plane), plane, 'eve')
    t.equal(refused.answer.status, 403)
    t.match(refused.answer.text, 'none of your groups has a role')
  })

t.test(
  'without a mapping who was invited comes in, and an e-mail that is not proven is nobody’s',
  async (t) => {
    const people = { ada: structuredClone(ada), mallory: { ...ada, email_verified: false } }
    const { plane } = await room(t, people)
    await addPerson(plane, { email: 'ada@example.com', role: 'OWNER' })
    t.equal((await signIn(visitorOf(plane), plane, 'mallory')).answer.status, 403)
    const visitor = visitorOf(plane)
    t.equal((await signIn(visitor, plane, 'ada')).answer.status, 303)
    t.match((await visitor.get('/app')).text, 'Owner')
  },
)

t.test('a state that is another’s, and a provider that is away, let nobody in', async (t) => {
  const { plane } = await room(t, { ada })
  await addPerson(plane, { email: 'ada@example.com' })
  const visitor = visitorOf(plane)
  const begun = await visitor.get('/sign-in/oidc')
  const back = new URL(await atProvider(begun.headers.get('location') ?? '', 'ada'))
  back.searchParams.set('state', 'of-somebody-else')
  t.equal((await visitor.get(back.pathname + back.search)).status, 401)
  const away = await testApp(t, {
    env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'a', EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' },
  })
  t.equal((await visitorOf(away).get('/sign-in/oidc')).status, 503)
  const guarded = await testApp(t, { env: { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'a' } })
  t.equal((await visitorOf(guarded).get('/sign-in/oidc')).status, 503, 'an inner address needs to be allowed')
  t.match(JSON.stringify(guarded.logged), 'EGRESS_ALLOWED_NETWORKS')
})

t.test('the strongest group counts, and no mapping makes owners', async (t) => {
  const roleOfGroup = new Map([
    ['ops', 'ADMIN'],
    ['*', 'READ_ONLY'],
  ] as const)
  t.equal(roleOfGroups({ roleOfGroup }, ['ops', 'dev']), 'ADMIN')
  t.equal(roleOfGroups({ roleOfGroup }, []), 'READ_ONLY')
  t.equal(roleOfGroups({ roleOfGroup: null }, ['ops']), null)
  t.throws(
    () =>
      readConfig({
        OIDC_ISSUER: 'https://login.example',
        OIDC_CLIENT_ID: 'a',
        OIDC_ROLE_MAPPING: 'ops=OWNER',
      }),
    /OIDC_ROLE_MAPPING/,
  )
  t.throws(() => readConfig({ OIDC_CLIENT_ID: 'a' }), /needs OIDC_ISSUER/)
  t.throws(() => readConfig({ OIDC_ISSUER: 'https://login.example' }), /OIDC_CLIENT_ID is required/)
})
