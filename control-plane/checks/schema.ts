/**
 * Checks as customers see them. A check is stored as columns for finding and a `doc` with the fields of its type, all
 * defaults filled in; an answer is the doc between `id`, `checkType` and what the store knows besides.
 */
import { type Static, Type } from 'typebox'
import { UrlRequest } from '../../protocol/checks/url.ts'
import { nullable } from '../http/nullable.ts'
import { frequencies } from './schedule-rules.ts'
import { changesOf, optional, responseTimeField, sharedFields } from './shared-fields.ts'

const closed = { additionalProperties: false }

const Frequency = Type.Unsafe<number>({
  type: 'integer',
  enum: [...frequencies],
  default: 10,
  description: 'Minutes between runs; 0 with a `frequencyOffset` of 10, 20 or 30: every that many seconds',
})

/** Its bounds depend on `frequency` (schedule-rules.ts). */
const FrequencyOffset = Type.Integer({
  minimum: 1,
  maximum: 600,
  description:
    'With `frequency` 0: 10, 20 or 30 (seconds between runs); 1 to 60: 1 to frequency × 10; above 60: 1 to ' +
    'frequency / 60, rounded up. Left out: spread over the period',
})

const urlFields = {
  ...sharedFields,
  request: UrlRequest,
  frequency: Frequency,
  frequencyOffset: FrequencyOffset,
  degradedResponseTime: responseTimeField(30_000, 3000),
  maxResponseTime: responseTimeField(30_000, 5000),
}

/** A URL monitor with all defaults filled in: what `doc` holds. */
export const UrlMonitorDoc = Type.Object(urlFields)
export type UrlMonitorDoc = Static<typeof UrlMonitorDoc>

export const NewUrlMonitor = Type.Object(
  {
    ...optional(urlFields),
    name: urlFields.name,
    request: urlFields.request,
    checkType: Type.Optional(Type.Literal('URL')),
  },
  { ...closed, title: 'NewUrlMonitor' },
)

/** Only the fields that are sent change; `request` is replaced as a whole. */
export const UrlMonitorChanges = Type.Object(
  { ...changesOf(urlFields), checkType: Type.Optional(Type.Literal('URL')) },
  { ...closed, title: 'UrlMonitorChanges' },
)

const KeyValue = Type.Object({ key: Type.String(), value: Type.String(), locked: Type.Boolean() })

export const AlertChannels = Type.Object(
  {
    email: Type.Array(Type.Object({ address: Type.String() })),
    webhook: Type.Array(
      Type.Object({
        url: Type.String(),
        name: Type.String(),
        method: Type.String(),
        headers: Type.Array(KeyValue),
        queryParameters: Type.Array(KeyValue),
      }),
    ),
    slack: Type.Array(Type.Object({ url: Type.String() })),
    sms: Type.Array(Type.Object({ number: Type.String(), name: Type.String() })),
  },
  { title: 'CheckAlertChannels' },
)

const storedFields = {
  alertChannels: AlertChannels,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: nullable(Type.String({ format: 'date-time' })),
}

export const UrlMonitor = Type.Object(
  { id: Type.String({ format: 'uuid' }), checkType: Type.Literal('URL'), ...urlFields, ...storedFields },
  { title: 'UrlMonitor' },
)
export type UrlMonitor = Static<typeof UrlMonitor>

/** Any check; a line per type. */
export const Check = UrlMonitor
export type Check = Static<typeof Check>
