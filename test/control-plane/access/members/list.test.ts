// Runs on both engines in test:all: lists are parts of statements.
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { addPerson } from '../../../support/members.ts'

const day = 24 * 60 * 60 * 1000
type Item = { type: string; email: string; role: string; status: string }

for (const engine of engineNames)
  t.test(`GET /v1/accounts/me/members as the contract says (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call, accountId } = service
    const owner = await addPerson(service, {
      email: 'owner@example.com',
      name: 'Grace Hopper',
      role: 'OWNER',
    })
    const key = owner.apiKey
    const get = (query = '') => call('GET', `/v1/accounts/me/members${query}`, { key })
    const emails = async (query = ''): Promise<string[]> =>
      (await get(query)).body.members.map(({ email }: Item) => email)

    service.advance(1000)
    await call('POST', '/v1/accounts/me/invites', { key, body: { email: 'old@Example.com', role: 'ADMIN' } })
    service.advance(20 * day)
    await addPerson(service, { email: 'lukasz@example.com', name: 'Łukasz_100% Ok', role: 'READ_WRITE' })
    await addPerson(service, { email: 'nameless@example.com', role: 'READ_RUN' })
    const made = await call('POST', '/v1/accounts/me/invites', {
      key,
      body: { email: 'new@example.com', role: 'READ_WRITE' },
    })
    t.equal(made.status, 201, made.text)
    service.advance(11 * day)

    t.test('all of them without limit: members first, then invites, oldest first', async (t) => {
      const { status, body } = await get()
      t.equal(status, 200)
      t.strictSame(Object.keys(body).sort(), ['length', 'members', 'nextId'])
      t.equal(body.length, 5)
      t.equal(body.nextId, null)
      t.strictSame(body.members[0], {
        type: 'member',
        accountId,
        userId: owner.userId,
        name: 'Grace Hopper',
        email: 'owner@example.com',
        role: 'OWNER',
        status: 'ACTIVE',
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
        isSupportMembership: false,
        ssoEnabled: false,
        mfaEnabled: false,
      })
      t.equal(body.members.find(({ email }: Item) => email === 'nameless@example.com').name, null)
      t.strictSame(
        body.members.slice(3).map(({ email, status }: Item) => [email, status]),
        [
          ['old@example.com', 'EXPIRED'],
          ['new@example.com', 'PENDING'],
        ],
        'an invite lives 30 days',
      )
      t.strictSame(body.members[4], {
        type: 'invite',
        id: made.body.id,
        accountId,
        email: 'new@example.com',
        role: 'READ_WRITE',
        status: 'PENDING',
        inviterEmail: 'owner@example.com',
        createdAt: '2026-01-21T00:00:01.000Z',
        updatedAt: '2026-01-21T00:00:01.000Z',
        expiresAt: '2026-02-20T00:00:01.000Z',
      })
      t.strictSame((await call('GET', `/v1/accounts/${accountId}/members`, { key })).body, body, 'twin path')
    })

    t.test('search: part of member name, member e-mail and invite e-mail, in any case', async (t) => {
      t.strictSame(await emails('?search=HOPPER'), ['owner@example.com'])
      t.strictSame(await emails('?search=OWNER%40'), ['owner@example.com'])
      t.strictSame(await emails('?search=OLD%40'), ['old@example.com'])
      t.strictSame(await emails(`?search=${encodeURIComponent('łUKASZ')}`), ['lukasz@example.com'])
      t.equal((await emails('?search=example')).length, 5)
      t.equal((await emails('?search=')).length, 5, 'an empty search is ignored')
      t.equal((await emails('?search=%20')).length, 5)
      t.strictSame(await emails('?search=nobody'), [])
      t.strictSame(await emails('?search=%25'), ['lukasz@example.com'], 'signs of LIKE are text')
      t.strictSame(await emails('?search=z_1'), ['lukasz@example.com'])
    })

    t.test('filters: type, role, status', async (t) => {
      const counts: Array<[string, number]> = [
        ['?type=member', 3],
        ['?type=invite', 2],
        ['?role=OWNER', 1],
        ['?role=ADMIN', 1],
        ['?role=READ_WRITE', 2],
        ['?role=READ_RUN', 1],
        ['?role=READ_ONLY', 0],
        ['?role=OWNER&type=invite', 0],
        ['?status=ACTIVE', 3],
        ['?status=PENDING', 1],
        ['?status=EXPIRED', 1],
        ['?status=ACTIVE&type=invite', 0],
        ['?status=PENDING&type=member', 0],
        ['?type=invite&role=READ_WRITE&status=PENDING&search=NEW', 1],
      ]
      for (const [query, count] of counts) t.equal((await emails(query)).length, count, query)
      for (const query of [
        '?type=guest',
        '?role=ROOT',
        '?status=GONE',
        '?limit=0',
        '?limit=101',
        '?nextId=',
        '?page=2',
      ])
        t.equal((await get(query)).status, 400, query)
    })

    t.test(
      'pages: length is of the page, nextId null at the end, nothing twice, nothing left out',
      async (t) => {
        const all = await emails()
        for (const limit of [1, 2, 3, 4, 5, 100]) {
          const seen: string[] = []
          let nextId: string | null = null
          do {
            const { body }: { body: { members: Item[]; length: number; nextId: string | null } } = await get(
              `?limit=${limit}${nextId === null ? '' : `&nextId=${nextId}`}`,
            )
            t.equal(body.length, body.members.length)
            seen.push(...body.members.map(({ email }) => email))
            nextId = body.nextId
          } while (nextId !== null)
          t.strictSame(seen, all, `limit ${limit}`)
        }
      },
    )

    t.test('nextId only with limit and the same other query parameters', async (t) => {
      const { nextId } = (await get('?limit=1&type=member&search=e')).body
      t.ok(nextId)
      t.equal((await get(`?limit=2&type=member&search=e&nextId=${nextId}`)).status, 200)
      const without = await get(`?type=member&search=e&nextId=${nextId}`)
      t.equal(without.status, 400)
      t.match(without.body.message, /"nextId".*together with "limit"/)
      for (const query of [
        'limit=1',
        'limit=1&type=member&search=x',
        'limit=1&search=e',
        'limit=1&type=member&search=e&role=OWNER',
      ]) {
        const other = await get(`?${query}&nextId=${nextId}`)
        t.equal(other.status, 400, query)
        t.match(other.body.attributes.violations[0], { path: 'nextId' })
      }
      for (const garbage of ['x', 'W10', '%00', 'e30'])
        t.equal((await get(`?limit=1&nextId=${garbage}`)).status, 400)
      const elsewhere = await service.addKey()
      const foreign = await call(
        'GET',
        `/v1/accounts/me/members?limit=1&type=member&search=e&nextId=${nextId}`,
        {
          key: elsewhere.apiKey,
        },
      )
      t.equal(foreign.status, 400, 'a cursor of another account')
    })

    t.test('another account’s people are not seen', async (t) => {
      const elsewhere = await service.addKey()
      const { body } = await call('GET', '/v1/accounts/me/members', { key: elsewhere.apiKey })
      t.strictSame(body, { members: [], length: 0, nextId: null })
      t.equal((await call('GET', `/v1/accounts/${accountId}/members`, { key: elsewhere.apiKey })).status, 404)
    })
  })
