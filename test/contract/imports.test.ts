// Runs on both engines: plans lock rows, and what belongs to whom is a constraint.
/** What exists becomes part of a project, in the form in which a command-line client asks for it. */
import t from 'tap'
import { eachEngine, type TestApp } from '../support/app.ts'
import { type ClientResource, clientDeploy } from '../support/client-project.ts'

const request = { url: 'https://example.com/' }
const imports = '/next/projects/shop/imports'

const made = async (plane: TestApp, path: string, body: object) => {
  const answer = await plane.call('POST', path, { body })
  t.equal(answer.status, 201, answer.text)
  return answer.body.id
}

type Planned = ClientResource & { physicalId: string | number }

const begin = async (plane: TestApp) => {
  await made(plane, '/next/projects', { name: 'Shop', logicalId: 'shop' })
  const channel = await made(plane, '/v1/alert-channels?subscribeExistingChecks=false', {
    ...{ type: 'EMAIL', config: { address: 'ada@example.com' } },
  })
  const group = await made(plane, '/v2/check-groups?autoAssignAlerts=false', { name: 'Group' })
  const check = await made(plane, '/v1/checks/url?autoAssignAlerts=false', {
    ...{ name: 'Home page', request, groupId: group, privateLocations: ['local'] },
    alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
  })
  return { channel, group, check }
}

/** As the client writes files of a plan, and deploys them. */
const inFiles = (planned: readonly Planned[]): ClientResource[] => {
  const logical = new Map(
    planned.map(({ type, physicalId, logicalId }) => [`${type} ${physicalId}`, logicalId]),
  )
  return planned.flatMap(({ type, logicalId, payload }) => {
    if (type === 'private-location' || type.startsWith('private-location')) return []
    if (type === 'alert-channel-subscription') {
      const alertChannelId = { ref: logical.get(`alert-channel ${payload.alertChannelId}`) }
      const checkId = { ref: logical.get(`check ${payload.checkId}`) }
      return [{ type, logicalId, member: true, payload: { alertChannelId, checkId, activated: true } }]
    }
    const { groupId, alertChannelSubscriptions: _, ...rest } = payload
    const own = groupId ? { ...rest, groupId: { ref: logical.get(`check-group ${groupId}`) } } : rest
    return [{ type, logicalId, member: true, payload: own }]
  })
}

const deploy = async (plane: TestApp, resources: readonly ClientResource[]) => {
  const { status, body } = await plane.call('POST', '/v1/projects/deploy', { body: clientDeploy(resources) })
  t.equal(status, 202, JSON.stringify(body))
  return body.result.diff
}

eachEngine('a plan is made, applied, deployed and committed', async (t, plane) => {
  const { channel, group, check } = await begin(plane)
  const { call } = plane
  const filters = [{ type: 'include' }, { type: 'exclude', resource: { type: 'private-location' } }]
  const preview = await call('POST', `${imports}?preview=true`, { body: { filters, friends: [] } })
  t.equal(preview.status, 200)
  t.strictSame((await call('GET', imports)).body, [], 'a preview is not kept')

  const plan = (await call('POST', `${imports}?preview=false`, { body: { filters, friends: [] } })).body
  const planned: Planned[] = plan.changes.resources
  const found = (type: string) => planned.filter((one) => one.type === type).map((one) => one.physicalId)
  t.strictSame(found('check'), [check])
  t.strictSame(found('check-group'), [group])
  t.strictSame(found('alert-channel'), [channel])
  t.strictSame(found('private-location'), [], 'the last filter counts')
  const [link] = planned.filter(({ type }) => type === 'alert-channel-subscription')
  t.match(link?.payload, { alertChannelId: channel, checkId: check, activated: true })
  t.match(planned.find(({ type }) => type === 'private-location-check-assignment')?.payload, {
    ...{ privateLocationId: plane.locationId, checkId: check },
  })
  t.match((await call('GET', `${imports}?onlyUncommitted=true`)).body, [
    { id: plan.id, appliedAt: undefined },
  ])
  t.equal((await call('POST', `/next/projects/imports/${plan.id}/commit`)).status, 403, 'applied first')

  t.equal((await call('POST', `/next/projects/imports/${plan.id}/apply`)).status, 200)
  t.strictSame((await call('GET', `${imports}?onlyUnapplied=true`)).body, [])
  const again = await call('POST', imports, { body: { filters } })
  t.match(again.body, { statusCode: 404, message: 'No importable resources were found' })

  const files = inFiles(planned)
  for (const { type, payload } of files) if (type === 'check') payload.name = 'Home, changed'
  const diff = await deploy(plane, files)
  t.strictSame(new Set(diff.map(({ action }: { action: string }) => action)), new Set(['UPDATE']))
  t.match((await call('GET', `/v1/checks/${check}`)).body, { name: 'Home, changed', groupId: group })
  t.strictSame(await deploy(plane, []), [], 'what is not committed is not deleted')
  t.equal((await call('GET', `/v1/checks/${check}`)).status, 200)

  t.equal((await call('POST', `/next/projects/imports/${plan.id}/commit`)).status, 200)
  t.strictSame((await call('GET', '/next/projects/imports')).body, [])
  t.equal((await deploy(plane, [])).length, 3, 'then it is')
  t.equal((await call('GET', `/v1/checks/${check}`)).status, 404)
})

eachEngine('a plan is cancelled, and one thing belongs to one project', async (t, plane) => {
  const { check } = await begin(plane)
  const { call } = plane
  await made(plane, '/next/projects', { name: 'Other', logicalId: 'other' })
  const filters = [{ type: 'exclude' }, { type: 'include', resource: { type: 'check', physicalId: check } }]
  const plan = async (project: string) =>
    (await call('POST', `/next/projects/${project}/imports`, { body: { filters } })).body.id
  const [first, second] = [await plan('shop'), await plan('other')]
  t.equal((await call('POST', `/next/projects/imports/${first}/apply`)).status, 200)
  const taken = await call('POST', `/next/projects/imports/${second}/apply`)
  t.match(taken.body, { statusCode: 409, message: `A project has check ${check} already: cancel the plan` })
  t.equal((await call('DELETE', `/next/projects/imports/${first}`)).status, 204)
  t.equal((await call('POST', `/next/projects/imports/${second}/apply`)).status, 200, 'it is nobody’s again')
  t.equal((await call('DELETE', '/v1/projects/other?preserveResources=false')).status, 202)
  t.equal((await call('GET', `/v1/checks/${check}`)).status, 200, 'it stays with what was not committed')
  t.strictSame((await call('GET', '/next/projects/imports')).body, [])

  const other = await plane.addKey()
  const third = await plan('shop')
  for (const [method, path] of [
    ['POST', `/next/projects/imports/${third}/apply`],
    ['DELETE', `/next/projects/imports/${third}`],
    ['GET', imports],
  ] as const)
    t.equal((await call(method, path, { key: other.apiKey })).status, 404, `${method} ${path}`)
  for (let more = 1; more < 20; more++) await plan('shop')
  t.match((await call('POST', imports, { body: { filters } })).body, { statusCode: 413 })
})
