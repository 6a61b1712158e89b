// Runs on both engines: rows are locked.
/** Outcomes of one parallel run in transactions that overlap, on a store with several writers. */
import t from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import type { Job } from '../../../../protocol/job.ts'
import { type AlertRoom, alertRoom, type Letter } from '../../../support/alert-room.ts'
import { overlapped } from '../../../support/overlapped.ts'

const places = ['eu-west-1', 'eu-west-2']

/** A first run of a check in both places; in the second nobody claims it if that is asked for. */
const firstRound = async (room: AlertRoom, { claimed }: { claimed: string[] }) => {
  const checkId = await room.addCheck({
    locations: places,
    privateLocations: [],
    runParallel: true,
    useGlobalAlertSettings: false,
    alertSettings: { parallelRunFailureThreshold: { enabled: true, percentage: 60 } },
  })
  const jobs: Job[] = []
  while (jobs.length < claimed.length) {
    room.advance(10_000)
    await scheduleTick(room.app)
    for (const place of claimed)
      jobs.push(...(await room.claim(place)).filter((job) => job.checkId === checkId))
  }
  return { checkId, jobs }
}

const reporting =
  (room: AlertRoom, jobs: Job[], letter: Letter) =>
  (app: WholeApp): Promise<void> =>
    room.reportTo(app, jobs, letter)

t.test('two locations that report at once: the round is judged, once', async (t) => {
  const room = await alertRoom(t, 'postgres')
  const cases: Array<{ letters: [Letter, Letter]; alerts: string[] }> = [
    { letters: ['d', 'p'], alerts: ['DEGRADED'] },
    { letters: ['p', 'd'], alerts: ['DEGRADED'] },
    { letters: ['d', 'd'], alerts: ['DEGRADED'] },
    { letters: ['f', 'x'], alerts: ['FAILURE'] },
    { letters: ['x', 'f'], alerts: ['FAILURE'] },
    { letters: ['f', 'c'], alerts: ['FAILURE'] },
    { letters: ['f', 'f'], alerts: ['FAILURE'] },
    { letters: ['f', 'p'], alerts: [] },
    { letters: ['p', 'p'], alerts: [] },
  ]
  for (const { letters, alerts } of cases) {
    const { checkId, jobs } = await firstRound(room, { claimed: places })
    const [one, two] = places.map((place) => jobs.filter(({ runLocation }) => runLocation === place))
    const [a, b] = letters
    await overlapped(room.app, reporting(room, one ?? [], a), reporting(room, two ?? [], b))
    t.strictSame(await room.alertTypes(checkId), alerts, letters.join(' beside '))
    const open = await room.app.db.select((k) =>
      k.selectFrom('alert_states').select('doc').where('check_id', '=', checkId),
    )
    for (const { doc } of open) t.equal(JSON.parse(doc).openRound, null, 'no round is left open')
  }
})

t.test('a location that is missed at the moment at which the other one reports', async (t) => {
  for (const order of ['report first', 'sweep first']) {
    const room = await alertRoom(t, 'postgres')
    const { checkId, jobs } = await firstRound(room, { claimed: places.slice(0, 1) })
    // Past the due time, which may still have been ahead, and past what a job waits for an agent.
    room.advance(100_000)
    const report = reporting(room, jobs, 'f')
    const sweep = (app: WholeApp) => sweepTick(app)
    await (order === 'report first'
      ? overlapped(room.app, report, sweep)
      : overlapped(room.app, sweep, report))
    const missed = await room.app.db.select((k) =>
      k.selectFrom('missed_runs').select('id').where('check_id', '=', checkId),
    )
    t.equal(missed.length, 1)
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'], order)
  }
})
