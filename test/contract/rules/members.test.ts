import type { TestApp } from '../../support/app.ts'
import { type RuleTest, testRules } from '../../support/contract-rules.ts'
import { refused } from '../../support/field-rules.ts'
import { addPerson } from '../../support/members.ts'
import { hasShape } from '../../support/shapes.ts'

const path = '/v1/accounts/me/members'
const roles = ['OWNER', 'ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'] as const
const day = 86_400_000
type Item = { type: string; role: string; status: string; email: string }

/** A member of each role, an invite that is pending and one that has expired. */
const people = async (plane: TestApp) => {
  const part = plane.app.newId()
  for (const role of roles)
    await addPerson(plane, { email: `${role.toLowerCase()}-${part}@example.com`, name: `Ada ${part}`, role })
  const { apiKey: key } = await addPerson(plane, { email: `host-${part}@example.com`, role: 'OWNER' })
  const invite = (name: string) =>
    plane.call('POST', '/v1/accounts/me/invites', {
      key,
      body: { email: `${name}-${part}@example.com`, role: 'READ_RUN' },
    })
  await invite('old')
  plane.advance(40 * day)
  await invite('new')
  const list = (query: string) => plane.call('GET', `${path}?search=${part}${query}`, { key })
  return { part, key, list, items: async (query = '') => (await list(query)).body.members as Item[] }
}
const wrong =
  (...queries: Array<[query: string, expected: string]>): RuleTest =>
  async (t, plane) => {
    for (const [query, expected] of queries)
      await refused(t, plane, { method: 'GET', path: `${path}?${query}`, expected })
  }

/** Each value finds only what has it, and a stranger is refused. */
const filter =
  (name: 'type' | 'role' | 'status', values: readonly string[]): RuleTest =>
  async (t, plane) => {
    const { items } = await people(plane)
    for (const value of values) {
      const found = await items(`&${name}=${value}`)
      t.ok(found.length > 0, value)
      for (const item of found) t.equal(item[name], value)
    }
    await wrong([`${name}=OTHER`, `${name} enum`])(t, plane)
  }

testRules('Account member list item', {
  'every field of a member, with its type': async (t, plane) => {
    const { items } = await people(plane)
    for (const member of await items('&type=member'))
      if (member.email.startsWith('host')) t.pass('has no name')
      else
        hasShape(t, member, {
          accountId: 'uuid',
          userId: 'uuid',
          name: 'text',
          email: 'text',
          createdAt: 'instant',
          updatedAt: 'instant',
          isSupportMembership: 'boolean',
          ssoEnabled: 'boolean',
          mfaEnabled: 'boolean',
        })
  },
  'items are either members or invites': async (t, plane) => {
    const { items } = await people(plane)
    t.strictSame([...new Set((await items()).map(({ type }) => type))], ['member', 'invite'])
  },
})

testRules('GET /v1/accounts/me/members', {
  'search: part of member name, member e-mail and invite e-mail in any case; empty is ignored': async (
    t,
    plane,
  ) => {
    const { part, key, items } = await people(plane)
    const found = await items()
    t.equal(found.length, roles.length + 3, 'members by name or e-mail, invites by e-mail')
    const other = await plane.call('GET', `${path}?search=ADA%20${part.toUpperCase()}`, { key })
    t.equal(other.body.length, roles.length, 'by name only')
    const all = (await plane.call('GET', path, { key })).body.length
    t.equal((await plane.call('GET', `${path}?search=`, { key })).body.length, all)
  },
  'type: member or invite': filter('type', ['member', 'invite']),
  'role: each of the five and no other': filter('role', roles),
  'status: ACTIVE, PENDING or EXPIRED': filter('status', ['ACTIVE', 'PENDING', 'EXPIRED']),
  'limit: an integer from 1 to 100; all when left out': async (t, plane) => {
    const { list, items } = await people(plane)
    t.equal((await list('&limit=1')).body.length, 1)
    t.equal((await list('&limit=100')).status, 200)
    t.equal((await items()).length, roles.length + 3)
    await wrong(
      ['limit=0', 'limit minimum'],
      ['limit=101', 'limit maximum'],
      ['limit=1.5', 'limit type'],
    )(t, plane)
  },
  'nextId: at least one character, only with `limit` and the same other parameters': async (t, plane) => {
    const { list, items } = await people(plane)
    const first = (await list('&limit=5')).body
    const rest = await list(`&limit=5&nextId=${first.nextId}`)
    t.equal(rest.status, 200)
    t.strictSame([...first.members, ...rest.body.members], await items())
    t.equal((await list(`&nextId=${first.nextId}`)).status, 400, 'without limit')
    t.equal((await list(`&limit=5&type=member&nextId=${first.nextId}`)).status, 400, 'with another filter')
    await wrong(['limit=5&nextId=', 'nextId minLength'])(t, plane)
  },
  'response: `members`, `length` of this page and `nextId`, null at the end': async (t, plane) => {
    const { list } = await people(plane)
    const { body } = await list('&limit=3')
    hasShape(t, body, { members: 'list', length: 'integer', nextId: 'text' })
    t.equal(body.length, 3)
    t.equal((await list('&limit=100')).body.nextId, null)
  },
  '`x-service-account` is a UUID': async (t, plane) => {
    const call = (account: string) => plane.call('GET', path, { headers: { 'x-service-account': account } })
    t.equal((await call('mine')).status, 400)
    t.equal((await call(plane.accountId)).status, 200)
  },
})
