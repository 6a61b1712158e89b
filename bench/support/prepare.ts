/**
 * Checks by the thousand: the API allows 600 requests a minute, so they are created by the handler of POST /v1/checks/<type>
 * itself, on the store of the running control plane, after the same validation; only HTTP and its limit are left out.
 */
import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { createApp } from '../../control-plane/create-app.ts'
import { createCipher } from '../../control-plane/platform/services/secrets/cipher.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import type { Access, AccountPrincipal, Input } from '../../control-plane/platform/web/http/route.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import { routes } from '../../control-plane/routes.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { compile } from '../../protocol/validate.ts'
import { callApi } from '../../test/support/api.ts'
import { accountId, type Teardown } from '../../test/support/programs.ts'

/** The store of a control plane, opened beside it; closed when the benchmark ends. */
export const openStore = (b: Teardown, url: string): Database => {
  const db = openDatabase(url)
  b.teardown(() => db.close())
  return db
}

/** The key of an agent of a private location that is made here. */
export const keyOfNewLocation = async (url: string, name: string): Promise<string> => {
  const made = await callApi<{ id: string }>(url, '/v1/private-locations', {
    method: 'POST',
    body: { name, slugName: name },
  })
  const path = `/v1/private-locations/${made.body.id}/keys`
  const { body } = await callApi<{ rawKey: string }>(url, path, { method: 'POST', body: {} })
  return body.rawKey
}

export type UrlMonitorBody = {
  name: string
  request: object
  frequency: number
  frequencyOffset?: number
  groupId?: number
  doubleCheck?: boolean
  /** `local` unless told otherwise. */
  privateLocations?: string[]
  triggerIncident?: { serviceId: string; name: string }
  alertChannelSubscriptions?: { alertChannelId: number; activated: boolean }[]
}

/** A server is asked over ten connections, and who waits for one gives up. */
const atOnce = { sqlite: 500, postgres: 20 }

/** What a control plane of the benchmarks seals, this process can open, and the other way round. */
const benchKey = randomBytes(32)
export const benchKeyEnvironment = { ENCRYPTION_KEY: benchKey.toString('base64') }

/** A control plane's app in this process, without its listener and loops. */
export const appOver = (db: Database): WholeApp => {
  const cipher = createCipher([benchKey], randomBytes)
  return createApp({ config: readConfig({}), db, log: pino({ level: 'silent' }), cipher })
}

const creation = (of: string) => {
  const route = routes.find(({ method, path }) => method === 'POST' && path === of)
  if (route?.body === undefined) throw new Error(`there is no POST ${of}`)
  return { handle: route.handle, validate: compile(route.body) }
}

const principal: AccountPrincipal = {
  kind: 'account',
  accountId,
  role: 'OWNER',
  keyId: 'benchmark',
  userId: null,
}

const inputOf = (body: unknown) =>
  ({
    ...{ params: {}, query: { autoAssignAlerts: false }, body, principal, headers: {} },
    signal: new AbortController().signal,
  }) as unknown as Input<never, never, never, Access>

/** Their ids are the numbers from 1. */
export const createGroups = async (db: Database, count: number): Promise<void> => {
  const { handle, validate } = creation('/v2/check-groups')
  const app = appOver(db)
  for (let n = 0; n < count; n++) {
    const body = validate({ name: `group ${n}` })
    if (!body.ok) throw new Error(body.violations.map(({ message }) => message).join('; '))
    await handle(inputOf(body.value), app)
  }
}

/** Creates `count` checks of a type; returns their ids. */
export const createChecks = async (
  db: Database,
  count: number,
  bodyOf: (index: number) => UrlMonitorBody,
  type: 'url' | 'api' = 'url',
): Promise<string[]> => {
  const { handle, validate } = creation(`/v1/checks/${type}`)
  const app = appOver(db)
  const create = async (index: number): Promise<string> => {
    const body = validate({ privateLocations: ['local'], ...bodyOf(index) })
    if (!body.ok) throw new Error(body.violations.map(({ message }) => message).join('; '))
    const answer = await handle(inputOf(body.value), app)
    return (answer as { body: { id: string } }).body.id
  }
  const ids: string[] = []
  const most = atOnce[db.engine.name]
  for (let first = 0; first < count; first += most) {
    const size = Math.min(most, count - first)
    ids.push(...(await Promise.all(Array.from({ length: size }, (_, i) => create(first + i)))))
  }
  return ids
}
