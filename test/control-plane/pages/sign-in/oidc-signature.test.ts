// Runs in a process of its own: it moves Date.now, which the library keeps an issuer's keys by.
/** ID tokens of an issuer that forges: what is not signed with a key that the issuer publishes lets nobody in. */
import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { realClock } from '../../../../agent/program/real-io.ts'
import { testApp } from '../../../support/app.ts'
import { addPerson } from '../../../support/members.ts'
import { visitorOf } from '../../../support/visitor.ts'

const clientId = 'watchpost'
const clientSecret = 'a-secret-of-the-client'
const seconds = () => Math.floor(Date.now() / 1000)
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

type Signer = (input: string) => Buffer
type Pair = { alg: string; kid: string; jwk: JsonWebKey; publicKey: KeyObject; signer: Signer }

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const made = (alg: string, kid: string, pair = rsa()): Pair => {
  const key = pair.privateKey
  const signers: Record<string, Signer> = {
    RS256: (input) => sign('sha256', Buffer.from(input), key),
    PS256: (input) =>
      sign('sha256', Buffer.from(input), {
        ...{ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
      }),
    ES256: (input) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
    EdDSA: (input) => sign(null, Buffer.from(input), key),
  }
  const signer = signers[alg]
  if (signer === undefined) throw new Error(alg)
  return { alg, kid, signer, publicKey: pair.publicKey, jwk: pair.publicKey.export({ format: 'jwk' }) }
}
const published = ({ jwk, kid, alg }: Pair) => ({ ...jwk, kid, alg, use: 'sig' })

const own = {
  RS256: made('RS256', 'rs'),
  PS256: made('PS256', 'ps'),
  ES256: made('ES256', 'es', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  EdDSA: made('EdDSA', 'ed', generateKeyPairSync('ed25519')),
}
const stranger = made('RS256', 'rs')

type Facts = { issuer: string; nonce: string }
type Made = (facts: Facts) => string

const claimsOf = ({ issuer, nonce }: Facts) => ({
  ...{ iss: issuer, sub: 'ada', aud: clientId, nonce, iat: seconds(), exp: seconds() + 300 },
  ...{ email: 'ada@example.com', email_verified: true },
})
const token = (header: object, claims: object, signer: Signer): string => {
  const input = `${encoded(header)}.${encoded(claims)}`
  return `${input}.${signer(input).toString('base64url')}`
}
const headerOf = ({ alg, kid }: Pair) => ({ alg, kid, typ: 'JWT' })
const signed =
  (pair: Pair, more: object = {}, header: object = {}): Made =>
  (facts) =>
    token({ ...headerOf(pair), ...header }, { ...claimsOf(facts), ...more }, pair.signer)
const without =
  (name: 'iat' | 'exp' | 'nonce' | 'aud'): Made =>
  (facts) => {
    const { [name]: _, ...claims } = claimsOf(facts)
    return token(headerOf(own.RS256), claims, own.RS256.signer)
  }
const hmac =
  (secret: string | Buffer): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest()

/** An issuer that answers with whatever token it is told to, and counts how often it is asked for its keys. */
const room = async (t: Test) => {
  const state = { keys: Object.values(own).map(published) as object[], keysAsked: 0, idToken: '' }
  const server = createServer((request, response) => {
    const answer = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration')
      return answer({
        ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/keys`, response_types_supported: ['code'] },
        // What it announces is not what is taken.
        id_token_signing_alg_values_supported: ['none', 'HS256', ...Object.keys(own)],
      })
    if (request.url === '/keys') {
      state.keysAsked += 1
      return answer({ keys: state.keys })
    }
    return answer({ access_token: 'a', token_type: 'Bearer', id_token: state.idToken })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plane = await testApp(t, {
    env: {
      ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
      ...{ EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8', TRUSTED_PROXIES: '127.0.0.1/32' },
    },
    parts: { clock: realClock() },
  })
  Object.assign(plane.app.config, { baseUrl: plane.url })
  await addPerson(plane, { email: 'ada@example.com' })
  let visits = 0
  /** The status of a whole sign-in whose token is made so. */
  const signIn = async (make: Made): Promise<number> => {
    visits += 1
    const visitor = visitorOf(plane)
    const from = { 'x-forwarded-for': `203.0.113.${visits}` }
    const begun = new URL((await visitor.get('/sign-in/oidc', from)).headers.get('location') ?? '')
    state.idToken = make({ issuer, nonce: begun.searchParams.get('nonce') ?? '' })
    const back = new URLSearchParams({ code: 'c', state: begun.searchParams.get('state') ?? '' })
    return (await visitor.get(`/sign-in/oidc/callback?${back}`, from)).status
  }
  return { signIn, state, plane }
}

const pem = own.RS256.publicKey.export({ type: 'spki', format: 'pem' })
const forgeries: Record<string, Made> = {
  'a key of a stranger under a known id': signed(stranger),
  'a key that the token brings along': signed(stranger, {}, { jwk: stranger.jwk, kid: 'mine' }),
  'keys elsewhere': signed(stranger, {}, { jku: 'http://127.0.0.1:9/keys', kid: 'mine' }),
  'no signature': (facts) => token({ alg: 'none' }, claimsOf(facts), () => Buffer.alloc(0)),
  'no signature under a known id': (facts) =>
    token({ alg: 'none', kid: 'rs' }, claimsOf(facts), () => Buffer.alloc(0)),
  'an empty signature': (facts) => token(headerOf(own.RS256), claimsOf(facts), () => Buffer.alloc(0)),
  'an HMAC by the client secret': (facts) => token({ alg: 'HS256' }, claimsOf(facts), hmac(clientSecret)),
  'an HMAC by the public key': (facts) => token({ alg: 'HS256', kid: 'rs' }, claimsOf(facts), hmac(pem)),
  'a payload that was changed': (facts) => {
    const [header, , signature] = signed(own.RS256)(facts).split('.')
    return `${header}.${encoded({ ...claimsOf(facts), sub: 'eve' })}.${signature}`
  },
  'a header that was changed': (facts) => {
    const [, payload, signature] = signed(own.RS256)(facts).split('.')
    return `${encoded({ ...headerOf(own.RS256), x: 1 })}.${payload}.${signature}`
  },
  'the key of another algorithm': (facts) =>
    token({ alg: 'PS256', kid: 'rs' }, claimsOf(facts), own.PS256.signer),
  'another issuer': signed(own.RS256, { iss: 'https://login.example' }),
  'another audience': signed(own.RS256, { aud: 'another' }),
  'another audience beside ours': signed(own.RS256, { aud: [clientId, 'another'] }),
  'another authorized party': signed(own.RS256, { azp: 'another' }),
  'a nonce of another sign-in': signed(own.RS256, { nonce: 'another' }),
  'a token that is over': (facts) => signed(own.RS256, { exp: seconds() - 120 })(facts),
  'a token of an hour ago': (facts) => signed(own.RS256, { iat: seconds() - 3600 })(facts),
  'a token of the future': (facts) => signed(own.RS256, { iat: seconds() + 3600 })(facts),
  'no nonce': without('nonce'),
  'no end': without('exp'),
  'no time': without('iat'),
  'no audience': without('aud'),
}

t.test('an ID token counts only with a signature by a key of its issuer', async (t) => {
  const { signIn, state, plane } = await room(t)
  for (const pair of Object.values(own)) t.equal(await signIn(signed(pair)), 303, pair.alg)
  for (const [name, make] of Object.entries(forgeries)) t.equal(await signIn(make), 401, name)
  t.equal(state.keysAsked, 1, 'the keys are asked for once in a while')
  const sessions = await plane.app.db.select((k) => k.selectFrom('user_sessions').select('id'))
  t.equal(sessions.length, Object.keys(own).length)
  t.comment(`${Object.keys(forgeries).length} forgeries refused, ${Object.keys(own).length} algorithms taken`)
})

t.test('a key that is new is asked for once, at most once a minute', async (t) => {
  const { signIn, state } = await room(t)
  const real = Date.now
  let ahead = 0
  Date.now = () => real() + ahead
  t.teardown(() => {
    Date.now = real
  })
  t.equal(await signIn(signed(own.RS256)), 303)
  const next = made('RS256', 'next')
  t.equal(await signIn(signed(next)), 401)
  t.equal(await signIn(signed(next)), 401)
  t.equal(state.keysAsked, 1, 'ids that nobody knows do not make us ask within the minute')
  state.keys = [published(next)]
  ahead = 61_000
  t.equal(await signIn(signed(next)), 303, 'the keys have changed')
  t.equal(state.keysAsked, 2)
  t.equal(await signIn(signed(own.RS256)), 401, 'and the old one opens nothing')
  t.equal(state.keysAsked, 2)
})
