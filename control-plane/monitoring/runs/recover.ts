import type { App } from '../../platform/app/app.ts'
import { commitWatch } from '../../platform/app/commit-watch.ts'
import type { Loop } from '../../platform/services/clock/run-loops.ts'
import type { HasSteadyClock } from '../../platform/services/clock/steady-clock.ts'
import { query } from '../../platform/store/database/query.ts'
import { startedAt } from '../schedule/why-no-control-plane.ts'
import { readAlive, sayAlive } from './outages.ts'

/** Stores are shared by machines whose clocks differ by less. */
const worthSayingMs = 2000

/** Longer than this without a sign of life and no control plane was running. */
const downAfterMs = 3000

/** A running control plane that has given no sign for so long could not reach its store, or was stopped. Leases last longer. */
const outAfterMs = 5000

/**
 * Says that a control plane is running. If none could say so for a while, because the store was away or the process was
 * stopped, that is an outage, to be forgiven like any other downtime.
 */
export const aliveTick = async (app: App): Promise<void> => {
  const outage = await commitWatch(app).measure(() =>
    sayAlive(app.db, { now: app.clock.now(), toleratedMs: outAfterMs }),
  )
  if (outage === null) return
  const outSeconds = Math.round((outage.endedAt - outage.since) / 1000)
  // A store that comes and goes is said once.
  if (outage.isNews) app.log.warn({ outSeconds }, 'The control plane could not work for a while')
  else app.log.debug({ outSeconds }, 'The control plane could not work once more')
}

const lifeSigns = query('life-signs', (k, _: Record<string, never>) =>
  k
    .selectFrom('liveness')
    .select((at) => [
      'alive_at',
      at
        .selectFrom('outages')
        .select((of) => of.fn.countAll<number>().as('n'))
        .where('forgiven_at', 'is', null)
        .as('unforgiven'),
    ])
    .where('id', '=', 1),
)

/** A loop's work; `knownUntil`: later than this nothing may be concluded, because nobody has said yet that we were at work then. */
type Concluding<A extends App> = (app: A, signal: AbortSignal, knownUntil: number) => Promise<void>

/** For loops that draw conclusions from time that has passed: they wait until what nobody could help is forgiven. */
export const onceForgiven =
  <A extends App>(tick: Concluding<A>): Loop<A>['tick'] =>
  async (app, signal) => {
    const signs = await app.db.get(lifeSigns, {})
    // We may be stopped at any moment, also between this look and the work.
    const knownUntil = signs === undefined ? Number.POSITIVE_INFINITY : signs.alive_at + outAfterMs
    const isSilent = app.clock.now() > knownUntil
    if (!isSilent && !(Number(signs?.unforgiven) > 0)) await tick(app, signal, knownUntil)
  }

/**
 * Before the loops start: when no control plane was running for a while, that is an outage, which the loops forgive. Returns
 * the length of the downtime in milliseconds, 0 if there was none.
 */
export const recover = async (app: App & HasSteadyClock): Promise<number> => {
  startedAt(app)
  const last = await app.db.get(readAlive, {})
  // A clock that was set back while nobody ran: what has been, has been.
  if (last !== undefined) app.steadyClock.notBefore(last.alive_at)
  const behindMs = app.steadyClock.behindMs()
  if (behindMs > worthSayingMs)
    app.log.warn(
      { behindSeconds: Math.round(behindMs / 1000) },
      "The machine's clock is behind the store's: time goes on from there, a hundredth slower until they meet",
    )
  const outage = await sayAlive(app.db, { now: app.clock.now(), toleratedMs: downAfterMs })
  return outage === null ? 0 : outage.endedAt - outage.since
}
