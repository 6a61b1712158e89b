// Runs on both engines in test:all: rows are locked.
import t from 'tap'
import { claimJobs } from '../../../../control-plane/monitoring/runs/claim-jobs.ts'
import { releaseLeases } from '../../../../control-plane/monitoring/runs/leases.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import { eachEngine } from '../../../support/app.ts'
import { walkCalls } from '../../../support/call-path.ts'
import { claimRequest } from '../../../support/engine-room.ts'

t.test('whoever reads a claim goes through few files, and hardly ever back', async (t) => {
  const start = { path: 'control-plane/monitoring/runs/claim-jobs.ts', name: 'claimJobs' }
  const { files, entered } = walkCalls(start, /^control-plane\//)
  const returns = entered.length - files.length
  t.comment(`a claim: ${entered.length} stays, ${returns} returns\n${entered.join('\n')}`)
  for (const one of ['jobs/job-sources.ts', 'jobs/assemble-jobs.ts', 'runs/leases.ts'])
    t.ok(files.includes(`control-plane/monitoring/${one}`), one)
  t.ok(entered.length <= 14, `${entered.length} stays`)
  t.ok(returns <= 3, `${returns} returns`)
})

/** The names of the statements of some work. */
const statementsOf = async (app: WholeApp, work: (app: WholeApp) => Promise<unknown>): Promise<string[]> => {
  const names: string[] = []
  const { all, get } = app.db
  const db: WholeApp['db'] = {
    ...app.db,
    all: (query, params) => {
      names.push(query.name)
      return all(query, params)
    },
    get: (query, params) => {
      names.push(query.name)
      return get(query, params)
    },
    select: () => {
      throw new Error('a statement without a name')
    },
  }
  await work({ ...app, db })
  return names
}

eachEngine(
  'each kind of thing is read once for all the jobs of a claim',
  async (t, { call, app, advance }) => {
    const made = async (path: string, body: object): Promise<number> => {
      const answer = await call('POST', path, { body })
      t.equal(answer.status, 201, answer.text)
      return answer.body.id
    }
    await made('/v1/variables', { key: 'HOST', value: 'proxy.example.com' })
    await made('/v1/snippets', { name: 'base', script: '' })
    const setupSnippetId = await made('/v1/snippets', { name: 'sign', script: "require('./base.js')" })
    const groupIds = [
      await made('/v1/check-groups', { name: 'A', setupSnippetId, environmentVariables: [] }),
      await made('/v1/check-groups', { name: 'B', localSetupScript: "require('./snippets/sign.js')" }),
    ]
    const request = { method: 'GET', url: 'https://example.com' }
    for (const groupId of [...groupIds, ...groupIds, null])
      await made('/v1/checks/api', {
        name: 'x',
        request,
        groupId,
        privateLocations: ['local'],
        runParallel: true,
      })
    const [location] = await app.db.select((k) => k.selectFrom('private_locations').select(['id', 'slug']))
    const proxyUrl = 'http://{{HOST}}:3128'
    const changed = await call('PUT', `/v1/private-locations/${location?.id}`, {
      body: { name: 'Local', proxyUrl },
    })
    t.equal(changed.status, 200, changed.text)
    advance(1)

    const agent = claimRequest({ checkTypes: ['API'], runtimeIds: ['2026.04'], agentId: 'a' })
    const holder = { location: String(location?.id), agentId: 'a' }
    const statements = await statementsOf(app, async (counted) => {
      const jobs = await claimJobs(counted, { location: holder.location, agent })
      t.equal(jobs.length, 5)
      t.ok(jobs.every((job) => job.proxyUrl === 'http://proxy.example.com:3128'))
      await releaseLeases(
        app,
        holder,
        jobs.map(({ id, fence }) => ({ jobId: id, fence })),
      )
    })
    t.comment(statements.join(', '))
    t.strictSame(statements.toSorted(), [
      'checks-of-jobs',
      'claim-waiting-jobs',
      'find-proxy-of-location',
      'groups-of-checks',
      'queues-with-jobs',
      'variables-of-accounts',
      // The snippets of the groups, and what these require.
      'wanted-snippets',
      'wanted-snippets',
    ])
  },
)
