import { type Static, Type } from 'typebox'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { AlertResponse } from '../messages/alert-response.ts'

/** Because of what, and from when to when it was not told before. */
const KeptBack = Type.Object(
  { name: Type.String(), from: Type.Number(), to: Type.Number() },
  { additionalProperties: false },
)
export type KeptBack = Static<typeof KeptBack>

/** What `check_alerts.doc` holds of the run that brought the alert. */
const CheckAlertDoc = Type.Object(
  {
    runLocation: Type.String(),
    responseTime: Type.Number(),
    error: nullable(Type.String()),
    statusCode: nullable(Type.String()),
    /** The last answer to this alert, also after the recovery. */
    response: Type.Optional(nullable(AlertResponse)),
    keptBack: Type.Optional(nullable(KeptBack)),
  },
  { additionalProperties: false },
)

export const checkAlertDoc = storedDoc({ name: 'check alert', schema: CheckAlertDoc })
