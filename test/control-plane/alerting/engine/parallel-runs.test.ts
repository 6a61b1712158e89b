// Runs on both engines in test:all: rows are locked.
import t, { type Test } from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { alertRoom, type Letter } from '../../../support/alert-room.ts'
import { engineNames } from '../../../support/databases.ts'

const places = ['eu-west-1', 'eu-west-2', 'us-east-1']

/** A check that runs in three places at once; `round('pfp')` is one due time, a letter for each place, `-` for nobody. */
const parallelRoom = async (t: Test, engine: 'sqlite' | 'postgres', percentage: number | null) => {
  const room = await alertRoom(t, engine)
  const checkId = await room.addCheck({
    locations: places,
    privateLocations: [],
    runParallel: true,
    useGlobalAlertSettings: false,
    alertSettings: {
      runBasedEscalation: { failedRunThreshold: 2 },
      parallelRunFailureThreshold: { enabled: percentage !== null, percentage: percentage ?? 10 },
    },
  })
  const round = async (letters: string): Promise<void> => {
    const jobsOf = new Map<string, Awaited<ReturnType<typeof room.claim>>>()
    const claimAll = async () => {
      for (const [index, place] of places.entries())
        if (letters[index] !== '-' && !jobsOf.get(place)?.length) jobsOf.set(place, await room.claim(place))
    }
    await claimAll()
    while ([...jobsOf.values()].every((jobs) => jobs.length === 0)) {
      room.advance(10_000)
      await scheduleTick(room.app)
      await claimAll()
    }
    for (const [index, place] of places.entries())
      await room.report(jobsOf.get(place) ?? [], letters[index] as Letter)
    if (letters.includes('-')) {
      room.advance(75_000)
      await sweepTick(room.app)
    }
  }
  return { room, checkId, round }
}

for (const engine of engineNames) {
  t.test(`all locations of a due time count once (${engine})`, async (t) => {
    const { room, checkId, round } = await parallelRoom(t, engine, null)
    await round('fff')
    t.strictSame(await room.alertTypes(checkId), [], 'three locations, one failing run')
    await round('pfp')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN'], 'one location is enough')
    await round('ppx')
    t.strictSame(
      await room.alertTypes(checkId),
      ['FAILURE_REMAIN', 'RECOVERY'],
      'a cancelled location is none',
    )
  })

  t.test(`the share that must fail (${engine})`, async (t) => {
    const { room, checkId, round } = await parallelRoom(t, engine, 50)
    await round('fpp')
    await round('fpp')
    await round('fpp')
    t.strictSame(await room.alertTypes(checkId), [], 'a third is too few')
    await round('ffp')
    await round('pff')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN'])
    await round('fpp')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN', 'RECOVERY'])
  })

  t.test(`a missed location counts neither way (${engine})`, async (t) => {
    const { room, checkId, round } = await parallelRoom(t, engine, 50)
    await round('fp-')
    await round('fp-')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN'], 'one of the two that ran')
    await round('pp-')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE_REMAIN', 'RECOVERY'])
  })
}
