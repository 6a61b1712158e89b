import t from 'tap'
import { agentPaths } from '../../../../protocol/agent-api.ts'
import { testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, visitPage } from '../../../support/dashboard.ts'
import { claimRequest } from '../../../support/engine-room.ts'
import { storeCheck } from '../../../support/stored-results.ts'

t.test('each number of the overview is that of the list that it leads to', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  for (const [state, names] of [
    ['failing', ['f1', 'f2']],
    ['degraded', ['d1']],
    ['passing', ['p1', 'p2', 'p3']],
    ['unknown', ['u1']],
  ] as const)
    for (const name of names) await checkWith(plane, { name, state })
  await storeCheck(plane, { name: 'new' })
  const { checkId } = await checkWith(plane, { name: 'stopped', state: 'failing' })
  const pause = { 'checkIds[]': checkId, _do: 'pause' }
  await visitPage(plane, cookie, '/app/checks/bulk', pause)
  const { text } = await visitPage(plane, cookie, '/app')
  const counts = [...text.matchAll(/<a href="(\/app\/checks[^"]*)"><b>(\d+)<\/b>/g)]
  t.ok(counts.length >= 6, 'states, paused, and all')
  for (const [, path = '', count = ''] of counts) {
    const list = (await visitPage(plane, cookie, path.replaceAll('&amp;', '&'))).text
    t.equal(list.match(/type="checkbox" name="checkIds\[\]"/g)?.length ?? 0, Number(count), path)
  }
})

t.test('a session has one state, on its page, in the list and in the API', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const body = { name: 'Shop', request: { url: 'https://shop.example/' }, privateLocations: ['local'] }
  const { id } = (await plane.call('POST', '/v1/checks/url', { body })).body
  const started = await plane.call('POST', '/v2/check-sessions/trigger', {
    body: { target: { checkId: id } },
  })
  const [{ checkSessionId }] = started.body.sessions
  const words = async (): Promise<(string | undefined)[]> => {
    const list = (await visitPage(plane, cookie, '/app/check-sessions')).text
    const page = (await visitPage(plane, cookie, `/app/check-sessions/${checkSessionId}`)).text
    return [list, page].map(
      (text) => /Waiting for an agent|Running/.exec(/<main.*/s.exec(text)?.[0] ?? '')?.[0],
    )
  }
  t.strictSame(await words(), ['Waiting for an agent', 'Waiting for an agent'])
  await plane.call('POST', agentPaths.claim, { key: plane.agentKey, body: claimRequest() })
  t.strictSame(await words(), ['Running', 'Running'])
  t.equal((await plane.call('GET', `/v2/check-sessions/${checkSessionId}`)).body.status, 'PROGRESS')
})
