/** What was kept back because of something that a check depends on is written down when that is over: what still goes on stands in the state. */
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import type { KeptBackFailuresTable } from '../../platform/store/database/tables/alert-channels.ts'
import type { KeptBack } from '../check-alerts/check-alert-doc.ts'
import { keptBackRows } from '../check-alerts/kept-back-queries.ts'
import type { AlertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'

type Held = Pick<AlertStateDoc, 'heldBack'>
type Period = Omit<KeptBackFailuresTable, 'id'>

/** Null: none ended. It ends when that is well again, when the check is, and when something else keeps it back. */
const endedPeriod = (
  { id, accountId }: Pick<AlertSubject, 'id' | 'accountId'>,
  { heldBack: before }: Held,
  { heldBack: after, now }: Held & { now: number },
): Period | null => {
  if (before === null || before.phase !== 'down' || before.from === 0 || before.from >= now) return null
  if (after !== null && after.phase === 'down' && after.on === before.on) return null
  return {
    ...{ account_id: accountId, check_id: id, because: before.on, because_name: before.name },
    ...{ began_at: before.from, ended_at: now },
  }
}

/** Of what is told now and was kept back until now, or until that was well again: null where nothing did. */
export const keptBackUntilNow = ({ heldBack }: Held, now: number): KeptBack | null => {
  if (heldBack === null || heldBack.phase === 'asked' || heldBack.from === 0) return null
  const { name, from, since, phase } = heldBack
  return { name, from, to: phase === 'recovered' ? since : now }
}

/** Of all checks of a transaction, in one statement. */
export const keptBackPeriods = ({ now, newId }: Stamp) => {
  const ended: Period[] = []
  return {
    note: (subject: AlertSubject, before: AlertStateDoc, after: AlertStateDoc): void => {
      const period = endedPeriod(subject, before, { heldBack: after.heldBack, now })
      if (period !== null) ended.push(period)
    },
    write: (trx: Db): Promise<unknown> =>
      runForRows(
        trx,
        keptBackRows,
        ended.map((period) => ({ id: newId(), ...period })),
      ),
  }
}
