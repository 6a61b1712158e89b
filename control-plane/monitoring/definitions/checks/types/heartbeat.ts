import { Type } from 'typebox'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import { pingUrl } from '../../../schedule/heartbeat.ts'
import type { CheckDoc, HeartbeatDoc } from '../check-doc.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import type { CheckKind } from './check-kind.ts'
import {
  degradedBeforeMax,
  OptionalScript,
  responseTimes,
  scriptPath,
  setupAndTearDown,
  sslCheckDomain,
  without,
} from './fields.ts'

const secondsPer = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const
const longestSeconds = 365 * secondsPer.days
const shortestPeriodSeconds = 30
const maxInt = 2_147_483_647

const Unit = Type.Enum(['seconds', 'minutes', 'hours', 'days'], { default: 'seconds' })
const amount = Type.Number({ minimum: 0, maximum: longestSeconds })

const span = {
  period: { ...amount, description: 'With its unit from 30 seconds to 365 days', examples: [30] },
  grace: { ...amount, description: 'With its unit up to 365 days', examples: [10] },
}

const NewHeartbeat = Type.Object(
  {
    ...span,
    periodUnit: Type.Optional(Unit),
    graceUnit: Type.Optional(Unit),
    pingToken: Type.Optional(
      nullable(Type.String({ format: 'uuid' }), {
        description: 'Part of the ping URL; the service makes one when it is left out',
      }),
    ),
  },
  { additionalProperties: false, title: 'NewHeartbeat' },
)

const Heartbeat = Type.Object(
  {
    ...span,
    periodUnit: Unit,
    graceUnit: Unit,
    pingToken: Type.String({ format: 'uuid' }),
    pingUrl: Type.String({ description: 'Address to ping with GET or POST' }),
  },
  { title: 'Heartbeat' },
)

/** Others tell us that they are alive. No run, no location, no retry. */
export const heartbeat: CheckKind = {
  type: 'HEARTBEAT',
  path: 'heartbeat',
  title: 'HeartbeatCheck',
  words: 'a heartbeat check',
  label: 'Heartbeat',
  purpose: 'A job that has to report by itself',
  note: 'Whatever pings `heartbeat.pingUrl` must do so every `period`; a ping that is later than `grace` is a failure.',
  fields: {
    ...without(sharedFields, 'retryStrategy'),
    heartbeat: NewHeartbeat,
    script: { ...OptionalScript, description: 'Without effect' } as typeof OptionalScript,
    frequency: Type.Integer({
      minimum: -maxInt,
      maximum: maxInt,
      default: 10,
      description: 'Without effect',
    }),
    frequencyOffset: nullable(Type.Integer({ minimum: 1, maximum: maxInt }), { default: null }),
    request: nullable(Type.Object({}, { additionalProperties: true }), { default: null }),
    scriptPath,
    sslCheckDomain,
    environmentVariables: EnvironmentVariables,
    ...setupAndTearDown,
    ...responseTimes(300_000, 10_000, 20_000),
  },
  shownFields: { heartbeat: Heartbeat },
  required: ['name', 'heartbeat'],
  createdFields: [
    'name',
    'activated',
    'muted',
    'tags',
    'alertSettings',
    'useGlobalAlertSettings',
    'alertChannelSubscriptions',
    'dependsOn',
    'triggerIncident',
    'runParallel',
    'description',
    'heartbeat',
  ],
  example: {
    name: 'Nightly backup',
    heartbeat: { period: 1, periodUnit: 'days', grace: 2, graceUnit: 'hours' },
  },
  scheduled: false,
  takesVariables: false,
  needsRuntime: () => false,
  problems: (doc) => [...degradedBeforeMax(doc), ...spanViolations(doc.heartbeat)],
  complete: (given, before, newId) => ({
    ...given,
    heartbeat: completed(given.heartbeat as HeartbeatBody, before?.heartbeat ?? null, newId),
  }),
  show: (doc, baseUrl) =>
    doc.heartbeat
      ? {
          ...doc,
          heartbeat: { ...doc.heartbeat, pingUrl: pingUrl(baseUrl, doc.heartbeat.pingToken) } as HeartbeatDoc,
        }
      : doc,
  spec: () => ({}),
}

type HeartbeatBody = Omit<HeartbeatDoc, 'pingToken'> & { pingToken?: string | null }

/** The token stays unless another one is sent. */
const completed = (
  { pingToken, ...sent }: HeartbeatBody,
  before: HeartbeatDoc | null,
  newId: () => string,
): HeartbeatDoc => ({ ...sent, pingToken: pingToken ?? before?.pingToken ?? newId() })

const spanViolations = (given: CheckDoc['heartbeat']): Violation[] => {
  if (given === undefined) return []
  const period = given.period * secondsPer[given.periodUnit]
  const grace = given.grace * secondsPer[given.graceUnit]
  return [
    ...(period < shortestPeriodSeconds || period > longestSeconds
      ? [violation('heartbeat.period', 'range', 'must be from 30 seconds to 365 days')]
      : []),
    ...(grace > longestSeconds ? [violation('heartbeat.grace', 'range', 'must be at most 365 days')] : []),
  ]
}
