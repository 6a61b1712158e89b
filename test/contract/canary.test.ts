/**
 * Secrets leave no byte in clear: not in the data folder, the log, an error or an answer to who may not see them. The
 * real program with a real data folder, everything that can hold a secret planted with one of its own.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from 'tap'
import { isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { roles } from '../../control-plane/platform/words/shapes/roles.ts'
import { routes } from '../../control-plane/routes.ts'
import { type Canaries, createCanaries } from '../support/canaries.ts'
import { claimRequest } from '../support/engine-room.ts'
import {
  agentKey,
  apiKey,
  endsWith,
  listening,
  scratchFolder,
  spawnControlPlane,
} from '../support/programs.ts'
import { plantsOf, secretSounding } from '../support/secret-fields.ts'

type Answer = { status: number; text: string; body: Record<string, unknown> }
type Send = { method?: string; key?: string; body?: unknown; raw?: string }

const sender =
  (url: string) =>
  async (path: string, { method = 'GET', key = apiKey, body, raw }: Send = {}): Promise<Answer> => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
    return { status: response.status, text, body: isJson ? JSON.parse(text) : {} }
  }

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Where the operator is told to find the first keys: readable for nobody else. */
const isKeyFile = (t: Test, path: string): boolean => {
  if (basename(path) !== 'bootstrap.json') return false
  t.equal(statSync(path).mode & 0o777, 0o600, 'bootstrap.json is its owner’s alone')
  return true
}

/** Broken in ways that make a careless service quote what it was sent. */
const broken = (body: Record<string, unknown>): Send[] => {
  const text = JSON.stringify(body)
  const texts = (value: unknown): unknown =>
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(texts)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, [texts(inner)]]))
          : value
  return [
    { body: { ...body, unknownField: true } },
    { body: texts(body) },
    { raw: text.slice(0, -1) },
    { raw: text.replace('canary', 'canary\\q') },
    { raw: text.replace(/"([^"]*canary[^"]*)"/, '$1') },
  ].filter(({ raw }) => raw !== text)
}

t.test('a secret is found nowhere but where it belongs', async (t) => {
  const folder = await scratchFolder(t)
  const dataDir = join(folder, 'data')
  const canaries: Canaries = createCanaries()
  const env = {
    LOG_LEVEL: 'trace',
    RCA_BASE_URL: 'http://127.0.0.1:1/v1',
    RCA_MODEL: 'none',
    RCA_API_KEY: canaries.plant('RCA_API_KEY'),
    SMTP_URL: `smtp://ada:${canaries.plant('password of SMTP_URL')}@127.0.0.1:1`,
    MAIL_FROM: 'watchpost@example.com',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: canaries.plant('TWILIO_AUTH_TOKEN'),
    TWILIO_FROM: '+14155550100',
    TWILIO_BASE_URL: 'http://127.0.0.1:1',
    SLACK_APP_TOKEN: canaries.plant('SLACK_APP_TOKEN'),
    SLACK_APP_SIGNING_SECRET: canaries.plant('SLACK_APP_SIGNING_SECRET'),
    SLACK_BASE_URL: 'http://127.0.0.1:1',
  }
  canaries.add('key of the owner', apiKey)
  canaries.add('key of the agents', agentKey)
  const program = await listening(endsWith(t, spawnControlPlane({ dataDir, env })))
  const send = sender(program.url)
  const printed: string[] = []

  const keys: Record<string, string> = { OWNER: apiKey }
  for (const role of roles.slice(0, -1)) {
    const { body } = await send('/v1/accounts/me/service-keys', {
      method: 'POST',
      body: { name: role, role },
    })
    keys[role] = String(body['rawKey'])
    canaries.add(`service key of ${role}`, String(body['rawKey']))
  }
  const once = async (path: string, body?: object, field = 'rawKey'): Promise<void> => {
    const answer = await send(path, { method: 'POST', ...(body ? { body } : {}) })
    t.equal(answer.status, 201, `${path}: ${answer.text}`)
    canaries.add(`${field} of ${path}`, String(answer.body[field]))
  }
  await once('/v1/accounts/me/api-keys', { name: 'laptop' })
  await once('/v1/accounts/me/invites', { email: 'ada@example.com', role: 'ADMIN' }, 'token')

  const made: string[] = []
  for (const { path, body, changes } of plantsOf(canaries)) {
    for (const wrong of broken(body)) {
      const refused = await send(path, { method: 'POST', ...wrong })
      t.ok(refused.status >= 400 && refused.status < 500, `${path} refuses what is broken: ${refused.status}`)
      t.strictSame(canaries.find(Buffer.from(refused.text)), [], `${path}: the error quotes no secret`)
    }
    const created = await send(path, { method: 'POST', body })
    t.equal(created.status, 201, `${path}: ${created.text}`)
    const one = `${path}/${created.body['id'] ?? created.body['key']}`
    made.push(one)
    if (changes) {
      const changed = await send(one, { method: 'PUT', body: changes })
      t.equal(changed.status, 200, `${one}: ${changed.text}`)
    }
    printed.push(program.output())
  }
  for (const one of made.filter((path) => path.startsWith('/v1/private-locations/')))
    await once(`${one}/keys`)

  const jobs = await send('/agent/v1/claim', {
    method: 'POST',
    key: agentKey,
    body: claimRequest({ checkTypes: ['API', 'BROWSER', 'MULTI_STEP'], maxMain: 100 }),
  })
  t.equal(jobs.status, 200, 'agents are given jobs')

  const lists = routes
    .filter(({ method, path, access }) => method === 'GET' && !isForPrograms(access) && !path.includes('/:'))
    .map(({ path }) => path)
  const readable = (one: string) =>
    one.replace(/^\/v1\/checks\/\w+\//, '/v1/checks/').replace('/v2/check-groups', '/v1/check-groups')
  for (const [role, key] of Object.entries(keys)) {
    const seesLocked = roles.indexOf(role as (typeof roles)[number]) >= roles.indexOf('READ_WRITE')
    let read = 0
    for (const path of [...lists, ...made.map(readable)]) {
      const { status, text } = await send(path, { key })
      if (status === 200) read += 1
      const found = canaries.find(Buffer.from(text), ({ audience }) => audience === 'nobody' || !seesLocked)
      t.strictSame(found, [], `${path} shows ${role} no secret`)
    }
    t.ok(read > made.length + 10, `${role} could read ${read} of them`)
  }
  const { text } = await send('/metrics')
  t.strictSame(canaries.find(Buffer.from(text)), [], '/metrics shows no secret')

  const search = (when: string) => {
    const files = filesIn(dataDir)
    t.ok(
      files.some((file) => file.endsWith('.db')),
      `${when}: ${files.length} files`,
    )
    for (const file of files.filter((path) => !isKeyFile(t, path)))
      t.strictSame(
        canaries.find(readFileSync(file)),
        [],
        `${when}: ${file.slice(folder.length)} holds no secret`,
      )
  }
  search('while it runs')
  await program.end('SIGTERM')
  search('after it has ended')
  printed.push(program.output())
  t.strictSame(canaries.find(Buffer.from(printed.join('\n'))), [], 'what it printed holds no secret')
  t.comment(`${canaries.planted.length} secrets, each in ${canaries.planted[0]?.forms.length} forms and more`)
})

t.test('every field that sounds like a secret is known to this test', async (t) => {
  const names = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties } = schema as { properties?: Record<string, unknown> }
    for (const name of Object.keys(properties ?? {}))
      if (/pass(word|phrase)|secret|token|(api|service|private)_?key$|credential|proxyUrl/i.test(name))
        names.add(name)
    for (const inner of Object.values(schema)) walk(inner)
  }
  for (const { body } of routes) walk(body)
  t.strictSame(
    [...names].sort(),
    Object.keys(secretSounding).sort(),
    'a new one needs a canary in test/support/secret-fields.ts, or a reason there why not',
  )
})

t.test('the search itself finds a secret in every form', async (t) => {
  const canaries = createCanaries()
  const value = canaries.plant('it')
  const forms: Array<[string, Buffer]> = [
    ['raw', Buffer.from(`x${value}y`)],
    ['hex', Buffer.from(Buffer.from(`é${value}`).toString('hex'))],
    ...['', 'a', 'ab', 'abc'].map((before): [string, Buffer] => [
      `base64 after "${before}"`,
      Buffer.from(Buffer.from(`${before}${value}z`).toString('base64url')),
    ]),
  ]
  for (const [name, bytes] of forms) t.not(canaries.find(bytes).length, 0, name)
  t.strictSame(canaries.find(Buffer.from('nothing')), [])
})
