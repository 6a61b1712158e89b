/** The real API over real HTTP on a free port: real store, a clock that only moves when told, a logger that keeps. */
import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import rootTest, { type Test } from 'tap'
import { insertAccount } from '../../control-plane/access/accounts/queries.ts'
import { insertApiKey } from '../../control-plane/access/api-keys/queries.ts'
import { createApp } from '../../control-plane/create-app.ts'
import { insertLocationKey, insertPrivateLocation } from '../../control-plane/monitoring/locations/queries.ts'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import { keyHash } from '../../control-plane/platform/web/http/auth/auth.ts'
import type { Route } from '../../control-plane/platform/web/http/route.ts'
import { openListener } from '../../control-plane/platform/web/http/server/listener.ts'
import { createHttpServer } from '../../control-plane/platform/web/http/server/server.ts'
import { createMqttDoor } from '../../control-plane/platform/web/mqtt/mqtt-door.ts'
import type { Role } from '../../control-plane/platform/words/shapes/roles.ts'
import { uuidV7 } from '../../control-plane/platform/words/uuid.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import { servedFeeds, servedRoutes } from '../../control-plane/routes.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { engineNames, freshDatabase } from './databases.ts'
import { testsBeginAt } from './tests-begin.ts'

export type Answer = {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  body: any
}

export type CallOptions = {
  key?: string | null
  headers?: Record<string, string>
  body?: unknown
  raw?: string | Uint8Array<ArrayBuffer>
}

export type TestApp = {
  app: WholeApp
  url: string
  accountId: string
  /** An owner's API key of that account. */
  apiKey: string
  /** The key and id of its private location `local`. */
  agentKey: string
  locationId: string
  logged: Array<Record<string, unknown>>
  advance(ms: number): void
  /** With the owner's key unless told otherwise; `null` for none. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A further account or key. */
  addKey(options?: { accountId?: string; role?: Role }): Promise<{ accountId: string; apiKey: string }>
  drain(): void
}

const startMs = testsBeginAt

export type TestAppOptions = {
  engine?: Engine['name']
  routes?: Route<WholeApp>[]
  strictResponses?: boolean
  /** Of the configuration. */
  env?: Record<string, string>
  /** Parts of the app that the test makes itself. */
  parts?: Partial<WholeApp>
}

export const testApp = async (t: Test, options: TestAppOptions = {}): Promise<TestApp> => {
  const time = { now: startMs }
  const logged: Array<Record<string, unknown>> = []
  // Made by the first artifact, if there is one.
  const artifactsDir = join(tmpdir(), `watchpost-test-artifacts-${randomUUID()}`)
  t.teardown(() => rm(artifactsDir, { recursive: true, force: true }))
  const clock: WholeApp['clock'] = options.parts?.clock ?? {
    now: () => time.now,
    monotonic: () => time.now,
    sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
  }
  const app = createApp({
    config: {
      ...readConfig(options.env ?? {}),
      ...(options.env?.['ARTIFACTS_URL'] === undefined ? { artifactsDir } : {}),
      strictResponses: options.strictResponses ?? true,
    },
    db: options.parts?.db ?? (await freshDatabase(t, options.engine ?? 'sqlite')),
    log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    cipher: createCipher([randomBytes(32)], randomBytes),
    clock,
    newId: idsOf(clock),
    ...options.parts,
  })
  const server = createHttpServer(app, options.routes ?? servedRoutes)
  const listener = await openListener(0, '127.0.0.1')
  const messages = createMqttDoor(app, servedFeeds)
  listener.serve(server.handler, messages)
  t.teardown(async () => {
    server.drain()
    messages.drain()
    await listener.close(AbortSignal.abort())
  })
  const url = `http://127.0.0.1:${listener.port}`
  const owner = await addKey(app, {})
  const location = await addLocation(app, owner.accountId, 'local')
  return {
    app,
    url,
    ...owner,
    ...location,
    logged,
    advance: (ms) => {
      time.now += ms
    },
    call: (method, path, callOptions = {}) =>
      call(`${url}${path}`, method, { key: owner.apiKey, ...callOptions }),
    addKey: (more = {}) => addKey(app, more),
    drain: () => {
      server.drain()
      messages.drain()
    },
  }
}

/** Of the test's time, and each above the last one although its time stands still. */
const idsOf = (clock: WholeApp['clock']): (() => string) => {
  let made = 0
  return () => {
    made += 1
    const order = made.toString(16).padStart(6, '0')
    return uuidV7(
      clock.now(),
      `00000000-0000-4${order.slice(0, 3)}-8${order.slice(3)}-${randomUUID().slice(24)}`,
    )
  }
}

/** Declares one test per engine, each with a control plane of its own. */
export const eachEngine = (
  name: string,
  body: (t: Test, plane: TestApp) => Promise<void>,
  options: Omit<TestAppOptions, 'engine'> = {},
): void => {
  for (const engine of engineNames)
    rootTest.test(`${name} (${engine})`, async (t) => body(t, await testApp(t, { ...options, engine })))
}

const addKey = async (
  app: WholeApp,
  { accountId = app.newId(), role = 'OWNER' }: { accountId?: string; role?: Role },
) => {
  const apiKey = `wp_${app.randomBytes(32).toString('base64url')}`
  const now = app.clock.now()
  await app.db.run(insertAccount, { id: accountId, name: 'Test', now, doc: '{}' })
  await app.db.run(insertApiKey, {
    id: app.newId(),
    accountId,
    userId: null,
    // No service key is an owner's.
    kind: role === 'OWNER' ? 'user' : 'service',
    role,
    name: 'test',
    hash: keyHash(apiKey),
    masked: 'x',
    now,
  })
  return { accountId, apiKey }
}

const addLocation = async (app: WholeApp, accountId: string, slug: string) => {
  const agentKey = `pl_${app.randomBytes(16).toString('hex')}`
  const locationId = app.newId()
  const now = app.clock.now()
  await app.db.run(insertPrivateLocation, { id: locationId, accountId, slug, name: slug, now, doc: '{}' })
  await app.db.run(insertLocationKey, {
    id: app.newId(),
    locationId,
    accountId,
    hash: keyHash(agentKey),
    masked: 'x',
    now,
  })
  return { agentKey, locationId }
}

const call = async (
  url: string,
  method: string,
  { key, headers, body, raw }: CallOptions,
): Promise<Answer> => {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    // What the route itself answers, and not where it leads.
    redirect: 'manual',
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}
