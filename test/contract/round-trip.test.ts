// Runs on both engines in test:all: each resource is written and read.
/** What was read can be sent back: it is accepted, and nothing is otherwise than before. */

import t, { type Test } from 'tap'
import { findVariable } from '../../control-plane/access/variables/queries.ts'
import { openValue } from '../../control-plane/access/variables/sealed-value.ts'
import { checkDoc } from '../../control-plane/monitoring/definitions/checks/check-doc.ts'
import { findCheck } from '../../control-plane/monitoring/definitions/checks/queries.ts'
import {
  checkContext,
  openSettings,
} from '../../control-plane/monitoring/definitions/checks/sealed-settings.ts'
import { openProxyUrl } from '../../control-plane/monitoring/locations/proxy-url.ts'
import { findPrivateLocation, locationDoc } from '../../control-plane/monitoring/locations/queries.ts'
import { isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { testApp } from '../support/app.ts'
import { engineNames } from '../support/databases.ts'
import type { RoundTrip } from '../support/round-trip.ts'
import { roundTrips } from '../support/round-trips.ts'
import { createWorld, type World } from '../support/world.ts'

const used = new Set<string>()

/** The pattern of the route that an address belongs to. */
const patternOf = (method: string, address: string): string => {
  const [path = ''] = address.split('?')
  const segments = path.split('/')
  const fits = (pattern: string): boolean => {
    const parts = pattern.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, at) => part.startsWith(':') || part === segments[at])
    )
  }
  const [literal] = routes
    .filter((route) => route.method === method && fits(route.path))
    .sort((a, b) => a.path.split(':').length - b.path.split(':').length)
  return literal ? `${method} ${literal.path}` : ''
}

/** Without what every write changes, and what is counted from now. */
const withoutTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !['updated_at', 'duration'].includes(name))
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutTimes(inner)]))
}

const put: RoundTrip['writes'] = (address) => [['PUT', address]]

const sendBack = async (t: Test, world: World, { name, make, writes = put }: RoundTrip): Promise<void> => {
  const address = await make(world)
  const read = async () => (await world.call('GET', address)).body
  for (const [method, target] of writes?.(address) ?? []) {
    world.plane.advance(61_000)
    const before = await read()
    const answer = await world.call(method, target, before)
    used.add(patternOf(method, target))
    t.equal(answer.status, 200, `${name}: ${method} ${target}`, { answer: answer.text.slice(0, 1000) })
    t.strictSame(
      withoutTimes(await read()),
      withoutTimes(before),
      `${name}: nothing changed by ${method} ${target}`,
    )
  }
}

for (const engine of engineNames)
  t.test(`every resource can be read and sent back (${engine})`, async (t) => {
    const world = await createWorld(await testApp(t, { engine }))
    for (const trip of roundTrips) await sendBack(t, world, trip)
  })

t.test('no resource that can be read and written is left out', async (t) => {
  const readable = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const readAt = (path: string): string =>
    path.replace(/^\/v1\/checks\/\w+\/:id$/, '/v1/checks/:id').replace('/v2/check-groups', '/v1/check-groups')
  const writable = routes.filter(
    ({ method, path, access }) =>
      !isForPrograms(access) && ['PUT', 'PATCH'].includes(method) && readable.has(readAt(path)),
  )
  t.ok(writable.length > 20)
  for (const { method, path } of writable) t.ok(used.has(`${method} ${path}`), `${method} ${path}`)
})

t.test('what is hidden from who reads stays what it is', async (t) => {
  const plane = await testApp(t)
  const { app, accountId, call } = plane
  const sendBackAt = async (path: string) => {
    const { body } = await call('GET', path)
    t.notMatch(JSON.stringify(body), /hunter2/, 'it is hidden')
    t.equal((await call('PUT', path, { body })).status, 200, path)
  }
  await call('POST', '/v1/variables', { body: { key: 'A', value: 'hunter2', secret: true } })
  await sendBackAt('/v1/variables/A')
  const variable = await app.db.get(findVariable, { accountId, key: 'A' })
  t.equal(variable && openValue(app.cipher, variable), 'hunter2')

  const environmentVariables = [{ key: 'B', value: 'hunter2', secret: true }]
  const check = await call('POST', '/v1/checks/browser', {
    body: { name: 'a', script: '', environmentVariables },
  })
  await sendBackAt(`/v1/checks/${check.body.id}`)
  const row = await app.db.get(findCheck, { id: check.body.id, accountId })
  const seal = { cipher: app.cipher, context: checkContext(check.body.id) }
  const opened = openSettings(checkDoc.read(row?.doc ?? ''), seal)
  t.equal(opened.environmentVariables?.[0]?.value, 'hunter2')

  const proxyUrl = 'http://ada:hunter2@proxy.example:3128'
  const location = await call('POST', '/v1/private-locations', {
    body: { name: 'a', slugName: 'a', proxyUrl },
  })
  await sendBackAt(`/v1/private-locations/${location.body.id}`)
  const place = await app.db.get(findPrivateLocation, { id: location.body.id, accountId })
  const { sealedProxyUrl } = locationDoc.read(place?.doc ?? '')
  t.equal(openProxyUrl(app.cipher, location.body.id, sealedProxyUrl), proxyUrl)
})
