import { sql } from 'kysely'
import t from 'tap'
import { deleteSnippet } from '../../../../../control-plane/access/snippets/queries.ts'
import { deleteService } from '../../../../../control-plane/communication/status-page-services/queries.ts'
import {
  type CheckBody,
  createCheck,
} from '../../../../../control-plane/monitoring/definitions/checks/save-check.ts'
import { checkSchemas } from '../../../../../control-plane/monitoring/definitions/checks/schema.ts'
import { deletePrivateLocation } from '../../../../../control-plane/monitoring/locations/queries.ts'
import { builderFor } from '../../../../../control-plane/platform/store/database/builder.ts'
import type { Database, Db } from '../../../../../control-plane/platform/store/database/db.ts'
import type { WholeApp } from '../../../../../control-plane/whole-app.ts'
import { compile } from '../../../../../protocol/validate.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'

type Referred = {
  name: string
  /** Its address, the field of a check that names it, and the query that deletes its row. */
  make(plane: TestApp): Promise<{ path: string; reference: object; remove(trx: Db): Promise<unknown> }>
  violation: string
}

const create = async ({ call }: TestApp, path: string, body: object) =>
  (await call('POST', path, { body })).body

const referred: Referred[] = [
  {
    name: 'private location',
    make: async ({ accountId, locationId: id }) => ({
      path: `/v1/private-locations/${id}`,
      reference: { privateLocations: ['local'] },
      remove: (trx) => trx.run(deletePrivateLocation, { id, accountId }),
    }),
    violation: 'privateLocations',
  },
  {
    name: 'snippet',
    make: async (plane) => {
      const { id } = await create(plane, '/v1/snippets', { name: 'a', script: '' })
      const { accountId } = plane
      return {
        path: `/v1/snippets/${id}`,
        reference: { setupSnippetId: id },
        remove: (trx) => trx.run(deleteSnippet, { id, accountId }),
      }
    },
    violation: 'setupSnippetId',
  },
  {
    name: 'service',
    make: async (plane) => {
      const { id } = await create(plane, '/v1/status-pages/services', { name: 'shop' })
      const { accountId } = plane
      return {
        path: `/v1/status-pages/services/${id}`,
        reference: { triggerIncident: { serviceId: id, name: 'down' } },
        remove: (trx) => trx.run(deleteService, { id, accountId }),
      }
    },
    violation: 'triggerIncident.serviceId',
  },
]

const body = (reference: object): CheckBody => ({
  name: 'x',
  request: { method: 'GET', url: 'https://example.com/' },
  ...reference,
})

/** The same app, whose transactions say when they are done and then wait before they commit. */
const beforeCommit = ({ app }: TestApp) => {
  const done = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const transaction: Database['transaction'] = (work) =>
    app.db.transaction(async (trx) => {
      const value = await work(trx)
      done.resolve()
      await commit.promise
      return value
    })
  const slow: WholeApp = { ...app, db: { ...app.db, transaction } }
  return { slow, done: done.promise, commit: commit.resolve }
}

const waitingCount = sql<{ waiting: number }>`
  select count(*) as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

/** Resolves once a statement waits for a lock that another transaction holds. */
const untilOneWaits = async ({ app: { db } }: TestApp): Promise<void> => {
  for (;;) {
    const [row] = await db.select<{ waiting: number }>(() => ({
      compile: () => waitingCount.compile(builderFor(db.engine)),
    }))
    if (Number(row?.waiting) > 0) return
  }
}

for (const { name, make, violation } of referred) {
  t.test(
    `a ${name} that is deleted while a check that names it is written is in use (postgres)`,
    async (t) => {
      const plane = await testApp(t, { engine: 'postgres' })
      const { path, reference } = await make(plane)
      const { slow, done, commit } = beforeCommit(plane)
      const validated = compile(checkSchemas.API.New)(body(reference))
      if (!validated.ok) throw new Error('The body is not one of an API check')
      const creation = createCheck(slow, {
        accountId: plane.accountId,
        type: 'API',
        body: validated.value as CheckBody,
        autoAssignAlerts: false,
      })
      await done
      const deletion = plane.call('DELETE', path)
      await untilOneWaits(plane)
      commit()
      const { id } = await creation
      const refused = await deletion
      t.equal(refused.status, 409, refused.text)
      t.strictSame(refused.body.attributes, { checkIds: [id], groupIds: [] })
      t.equal((await plane.call('GET', path)).status, 200, 'it is still there')
    },
  )

  t.test(`a check that names a ${name} while it is deleted is refused (postgres)`, async (t) => {
    const plane = await testApp(t, { engine: 'postgres' })
    const { path, reference, remove } = await make(plane)
    const { slow, done, commit } = beforeCommit(plane)
    const deletion = slow.db.transaction(remove)
    await done
    const creation = plane.call('POST', '/v1/checks/api', { body: body(reference) })
    await untilOneWaits(plane)
    commit()
    await deletion
    const refused = await creation
    t.equal(refused.status, 400, refused.text)
    t.match(refused.body.attributes.violations, [{ path: violation, rule: 'exists' }])
    t.equal((await plane.call('GET', path)).status, 404)
    t.strictSame((await plane.call('GET', '/v1/checks')).body, [])
  })
}
