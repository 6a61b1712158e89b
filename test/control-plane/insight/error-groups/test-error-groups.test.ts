// Runs on both engines in test:all: the environments of a group are read with a join of their own.
import { analysisTick } from '../../../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import { eachEngine } from '../../../support/app.ts'
import { createUrlCheck, refused, workAll } from '../../../support/tests-of-checks.ts'

const path = '/v1/test-session-error-groups'

eachEngine('what fails in tests is grouped apart, archived and analysed', async (t, plane) => {
  const checkId = await createUrlCheck(plane, { retryStrategy: null, doubleCheck: false })
  const fail = async () => {
    const body = {
      name: 'release',
      runLocation: 'local',
      target: { checkId },
      metadata: { environment: 'staging' },
    }
    const started = await plane.call('POST', '/v1/test-sessions/trigger', { body })
    await workAll(plane, refused)
    plane.advance(1000)
    return (await plane.call('GET', `/v1/test-sessions/${started.body.testSessionId}`)).body
  }
  const { errorGroupIds } = await fail()
  await fail()
  const { body: groups } = await plane.call('GET', path)
  t.match(groups, [
    {
      id: errorGroupIds[0],
      checkId,
      environments: ['staging'],
      projectId: '',
      rawErrorMessage: 'refused',
      archivedUntilNextEvent: false,
      rootCauseAnalyses: [],
    },
  ])
  const one = `${path}/${errorGroupIds[0]}`
  t.strictSame((await plane.call('GET', one)).body, groups[0])
  t.equal((await plane.call('GET', `/v1/error-groups/${errorGroupIds[0]}`)).status, 404, 'not of its runs')
  t.strictSame((await plane.call('GET', `${path}/projects/shop`)).body, [])

  const analyses = '/v1/root-cause-analyses'
  t.equal(
    (await plane.call('POST', `${analyses}/error-groups/${errorGroupIds[0]}`, { body: null })).status,
    404,
  )
  const asked = await plane.call('POST', `${analyses}/test-session-error-groups/${errorGroupIds[0]}`, {
    body: { userContext: 'after the deployment' },
  })
  t.match(asked, { status: 202, body: { status: 'PENDING' } })
  await analysisTick(plane.app)
  t.match(await plane.call('GET', `${analyses}/${asked.body.id}`), {
    status: 200,
    body: { status: 'COMPLETED', errorGroupId: errorGroupIds[0], checkType: 'URL' },
  })

  const archived = await plane.call('PATCH', one, { body: { archivedUntilNextEvent: true } })
  t.match(archived, { status: 200, body: { archivedUntilNextEvent: true, rootCauseAnalyses: [{}] } })
  t.strictSame((await plane.call('GET', path)).body, [])
  t.equal((await plane.call('GET', `${path}?includeArchived=true`)).body.length, 1)
  plane.advance(1000)
  await fail()
  t.equal((await plane.call('GET', path)).body.length, 1, 'seen again')

  const automatic = await plane.app.db.select((k) => k.selectFrom('root_cause_analyses').select('id'))
  t.equal(automatic.length, 1, 'nobody analyses a test by itself')
  t.equal((await plane.call('DELETE', `/v1/checks/${checkId}`)).status, 204)
  t.equal((await plane.call('GET', one)).status, 404, 'it ends with its check')
})
