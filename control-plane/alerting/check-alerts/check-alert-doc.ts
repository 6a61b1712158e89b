import { Type } from 'typebox'
import { storedDoc } from '../../platform/database/stored-doc.ts'
import { nullable } from '../../platform/shapes/nullable.ts'

/** What `check_alerts.doc` holds of the run that brought the alert. */
const CheckAlertDoc = Type.Object(
  {
    runLocation: Type.String(),
    responseTime: Type.Number(),
    error: nullable(Type.String()),
    statusCode: nullable(Type.String()),
  },
  { additionalProperties: false },
)

export const checkAlertDoc = storedDoc({ name: 'check alert', schema: CheckAlertDoc })
