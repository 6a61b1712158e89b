/** Checks that depend on each other, run by hand. */
import type { Test } from 'tap'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import type { Job } from '../../protocol/job.ts'
import { type AlertRoom, alertRoom, type Letter } from './alert-room.ts'

export type DependencyRoom = AlertRoom & {
  /** The jobs of these checks that are there to be run; of other checks they are left out. */
  due(): Promise<Job[]>
  /** Those of them that something else asked for. */
  asked(): Promise<Job[]>
  /** A shop that depends on a router. */
  pair(): Promise<{ router: string; shop: string }>
  /** Each check's next due time, one after the other as they are given. */
  runs(results: ReadonlyArray<[checkId: string, letter: Letter]>): Promise<void>
  look(seconds?: number): Promise<void>
  types(): Promise<string[]>
}

export const dependencyRoom = async (t: Test, engine: Engine['name']): Promise<DependencyRoom> => {
  const room = await alertRoom(t, engine)
  const waiting: Job[] = []
  const due = async (): Promise<Job[]> => {
    await scheduleTick(room.app)
    waiting.push(...(await room.claim()))
    return waiting
  }
  const take = async (checkId: string): Promise<Job> => {
    for (let waited = 0; waited < 15; waited++) {
      const found = (await due()).findIndex((job) => job.checkId === checkId)
      if (found !== -1) return waiting.splice(found, 1)[0] as Job
      room.advance(10_000)
    }
    throw new Error('no run is due')
  }
  return {
    ...room,
    due,
    asked: async () => (await due()).filter(({ runSource }) => runSource === 'SCHEDULE_NOW'),
    pair: async () => {
      const router = await room.addCheck({ name: 'router' })
      const shop = await room.addCheck({ name: 'shop', dependsOn: [{ checkId: router }] })
      return { router, shop }
    },
    runs: async (results) => {
      for (const [checkId, letter] of results) {
        room.advance(1000)
        await room.report([await take(checkId)], letter)
      }
    },
    look: async (seconds = 1) => {
      room.advance(seconds * 1000)
      await alertStatesTick(room.app)
    },
    types: async () =>
      (
        await room.app.db.select((k) =>
          k.selectFrom('check_alerts').select(['name', 'alert_type']).orderBy('created_at').orderBy('id'),
        )
      ).map(({ name, alert_type }) => `${name} ${alert_type.replace('ALERT_', '')}`),
  }
}
