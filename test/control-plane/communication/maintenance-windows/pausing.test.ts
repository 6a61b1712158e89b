import t from 'tap'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { accountedFor, claimRequest, passingReport } from '../../../support/engine-room.ts'

const minute = 60_000

const create = async (plane: TestApp, path: string, body: object): Promise<string> => {
  const answer = await plane.call('POST', path, { body })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.id
}

const addCheck = (plane: TestApp, name: string, tags: string[]): Promise<string> =>
  create(plane, '/v1/checks/url', {
    name,
    tags,
    request: { url: 'http://127.0.0.1/' },
    privateLocations: ['local'],
    frequency: 1,
  })

/** An agent that passes everything for a while, a tick every ten seconds. */
const run = async (plane: TestApp, minutes: number): Promise<void> => {
  for (let i = 0; i < minutes * 6; i++) {
    await scheduleTick(plane.app)
    const { body } = await plane.call('POST', '/agent/v1/claim', {
      key: plane.agentKey,
      body: claimRequest(),
    })
    const reports = body.jobs.map((job: { id: string; fence: number }) =>
      passingReport(job, plane.app.clock.now()),
    )
    if (reports.length > 0)
      await plane.call('POST', '/agent/v1/report', {
        key: plane.agentKey,
        body: { agentId: 'agent-1', reports },
      })
    plane.advance(10_000)
  }
}

/** Between one slot and the next; the first run is off the grid. */
const gaps = (times: number[]): number[] => {
  const sorted = [...times].sort((a, b) => a - b).slice(1)
  return sorted.slice(1).map((time, i) => time - (sorted[i] as number))
}

for (const engine of engineNames) {
  t.test(
    `in a window tagged checks are not due; others go on, and so do they after it (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine })
      const paused = await addCheck(plane, 'paused', ['shop'])
      const other = await addCheck(plane, 'other', ['blog'])
      const start = plane.app.clock.now()
      await create(plane, '/v1/maintenance-windows', {
        name: 'Release',
        startsAt: new Date(start + 2 * minute).toISOString(),
        endsAt: new Date(start + 5 * minute).toISOString(),
        tags: ['shop'],
      })
      await run(plane, 8)
      const due = (await accountedFor(plane.app.db)).map((line) => line.split(' '))
      const of = (id: string) =>
        due.filter(([checkId]) => checkId === id).map(([, , at]) => Number(at) - start)
      const inWindow = (after: number) => after >= 2 * minute && after < 5 * minute
      t.equal(of(other).filter(inWindow).length, 3)
      t.equal(of(paused).filter(inWindow).length, 0)
      t.ok(gaps(of(other)).every((gap) => gap === minute))
      t.strictSame(
        gaps(of(paused)).filter((gap) => gap !== minute),
        [4 * minute],
        'and nothing else is missing',
      )
      t.ok(
        of(paused).some((after) => after >= 5 * minute),
        'it runs again',
      )
      t.notOk(
        due.some(([, , , outcome]) => outcome !== 'RESULT'),
        'paused is not missed',
      )
    },
  )

  t.test(`a window that pauses all checks does (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const checkId = await addCheck(plane, 'any', [])
    const start = plane.app.clock.now()
    await run(plane, 1)
    const before = (await accountedFor(plane.app.db)).length
    await create(plane, '/v1/maintenance-windows', {
      name: 'Everything',
      startsAt: new Date(start + 2 * minute).toISOString(),
      endsAt: new Date(start + 60 * minute).toISOString(),
      pauseAllChecks: true,
    })
    plane.advance(minute)
    await run(plane, 4)
    const later = (await accountedFor(plane.app.db)).filter((line) => line.startsWith(checkId))
    t.ok(later.length <= before + 1, `${later.length} of ${before} due times`)
  })

  t.test(
    `a check that is made, or switched on, in a window has its first run after it (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine })
      const start = plane.app.clock.now()
      await create(plane, '/v1/maintenance-windows', {
        name: 'Release',
        startsAt: new Date(start - minute).toISOString(),
        endsAt: new Date(start + 3 * minute).toISOString(),
        tags: ['shop'],
      })
      const groupId = await create(plane, '/v1/check-groups', { name: 'Shop', tags: ['shop'] })
      const own = await addCheck(plane, 'own', ['shop'])
      const other = await addCheck(plane, 'other', ['blog'])
      const grouped = await addCheck(plane, 'grouped', [])
      const change = (body: object) => plane.call('PUT', `/v1/checks/url/${grouped}`, { body })
      t.equal((await change({ activated: false })).status, 200)
      t.equal((await change({ activated: true, groupId })).status, 200)
      await run(plane, 5)
      const due = (await accountedFor(plane.app.db)).map((line) => line.split(' '))
      const of = (id: string) =>
        due.filter(([checkId]) => checkId === id).map(([, , at]) => Number(at) - start)
      for (const id of [own, grouped]) {
        const runs = of(id).filter((after) => id !== grouped || after > 0)
        t.ok(runs.length > 0, 'it runs')
        t.same(
          runs.filter((after) => after < 3 * minute),
          [],
        )
      }
      t.ok(of(other).includes(0), 'others run at once')
    },
  )
}
