import type { TestApp } from '../../support/app.ts'
import { testRules } from '../../support/contract-rules.ts'
import { createOne, refused } from '../../support/field-rules.ts'
import { urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'
import { work } from '../../support/work.ts'

const path = '/v1/check-sessions/trigger'
const check = async (t: Parameters<typeof createOne>[0], plane: TestApp, tags: string[] = []) =>
  (await createOne(t, plane, urlMonitor, { privateLocations: ['local'], tags })).id as string
const trigger = (plane: TestApp, target: object, more: object = {}) =>
  plane.call('POST', path, { body: { target, ...more } })
const checksOf = (answer: Awaited<ReturnType<typeof trigger>>): string[] =>
  answer.body.sessions.map(({ checkId }: { checkId: string }) => checkId).sort()

testRules('Check session', {
  'every field of the table is in a session, with its type': async (t, plane) => {
    const id = await check(t, plane)
    const { sessions } = (await trigger(plane, { checkId: [id] })).body
    // The run of its creation and that of the session.
    await work(plane, 'passing')
    await work(plane, 'passing')
    const { body } = await plane.call('GET', `/v1/check-sessions/${sessions[0].checkSessionId}`)
    hasShape(t, body, {
      checkSessionId: 'text',
      checkSessionLink: 'text',
      checkId: 'text',
      checkType: 'text',
      status: 'text',
      startedAt: 'instant',
      timeElapsed: 'number',
      runLocations: 'texts',
      name: 'text',
      stoppedAt: 'instant',
      runSource: 'text',
    })
    t.equal(body.checkId, id)
    t.equal(body.status, 'PASSED', 'its run passed')
  },
  'runSource: TRIGGER_API': async (t, plane) => {
    const { sessions } = (await trigger(plane, { checkId: [await check(t, plane)] })).body
    t.equal(sessions[0].runSource, 'TRIGGER_API')
  },
})

testRules('POST /v1/check-sessions/trigger', {
  'target.matchTags: lists of lists of text': async (t, plane) => {
    const tag = plane.app.newId()
    const id = await check(t, plane, [tag])
    t.strictSame(checksOf(await trigger(plane, { matchTags: [[tag]] })), [id])
    t.equal((await trigger(plane, { matchTags: [[1]] })).status, 400)
    t.equal((await trigger(plane, { matchTags: 1 })).status, 400)
  },
  'target.matchTags: a tag with `!` before it negates': async (t, plane) => {
    const [tag, slow] = [plane.app.newId(), plane.app.newId()]
    const id = await check(t, plane, [tag])
    await check(t, plane, [tag, slow])
    t.strictSame(checksOf(await trigger(plane, { matchTags: [[tag, `!${slow}`]] })), [id])
  },
  'target.checkId: a list of text': async (t, plane) => {
    const ids = [await check(t, plane), await check(t, plane)].sort()
    t.strictSame(checksOf(await trigger(plane, { checkId: ids })), ids)
    t.equal((await trigger(plane, { checkId: [1] })).status, 400)
  },
  'refreshCache: boolean, default false': async (t, plane) => {
    const target = { checkId: [await check(t, plane)] }
    for (const more of [{}, { refreshCache: true }, { refreshCache: false }])
      t.equal((await trigger(plane, target, more)).status, 201)
    const stored = await plane.app.db.select((k) =>
      k
        .selectFrom('check_sessions')
        .select('refresh_cache')
        .where('check_id', '=', target.checkId[0] ?? ''),
    )
    t.strictSame(
      stored.map((session) => session.refresh_cache).sort(),
      [false, false, true],
      'only where it was asked for',
    )
    await refused(t, plane, { path, body: { target, refreshCache: 'no' }, expected: 'refreshCache type' })
  },
  'response: `sessions`, one for each check that matches the target': async (t, plane) => {
    const tag = plane.app.newId()
    const ids = [await check(t, plane, [tag]), await check(t, plane, [tag])].sort()
    await check(t, plane)
    const answer = await trigger(plane, { matchTags: [[tag]] })
    hasShape(t, answer.body, { sessions: 'list' })
    t.strictSame(checksOf(answer), ids)
  },
})
