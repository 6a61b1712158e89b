/** What `alert_states.doc` holds of a check that is not well, or of which people still believe so, or that was so lately. */
import { type Static, type TUnsafe, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { RunDetails } from '../messages/alert-event.ts'
import { AlertResponse } from '../messages/alert-response.ts'
import type { AlertState } from './advance.ts'
import { noFlaps } from './flapping.ts'
import { HeldBack } from './held-back.ts'

const closed = { additionalProperties: false }
const Level = Type.Enum(['passing', 'degraded', 'failing'])

const StoredState: TUnsafe<AlertState> = Type.Unsafe(
  Type.Object(
    {
      level: Level,
      changedFrom: Level,
      changedAt: Type.Number(),
      streak: Type.Integer(),
      at: Type.Number(),
      judgedUpTo: Type.Number(),
      told: nullable(Type.Enum(['degraded', 'failing'])),
      toldAt: Type.Number(),
      reminders: Type.Integer(),
      failureTold: Type.Boolean(),
      failingSince: Type.Number({ default: 0 }),
      openedAt: Type.Number({ default: 0 }),
      response: nullable(AlertResponse, { default: null }),
      flaps: Type.Object(
        { changes: Type.Integer(), isOn: Type.Boolean(), since: Type.Number(), isTold: Type.Boolean() },
        { ...closed, default: noFlaps },
      ),
    },
    closed,
  ),
)

const AlertStateDoc = Type.Object(
  {
    state: StoredState,
    /** The last judged run. */
    last: nullable(RunDetails, { default: null }),
    /** A parallel run that is still without a verdict. */
    openRound: nullable(Type.Number(), { default: null }),
    /** Why its failure is not told although it could be. */
    heldBack: nullable(HeldBack, { default: null }),
  },
  closed,
)
export type AlertStateDoc = Static<typeof AlertStateDoc>

export const alertStateDoc = storedDoc({ name: 'alert state', schema: AlertStateDoc })
