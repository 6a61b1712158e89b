import { type Static, Type } from 'typebox'
import { checkTypes } from '../../../protocol/check-type.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { AlertResponse } from './alert-response.ts'
import { alertTypes, severities } from './alert-types.ts'
import { ToldGroup } from './group-health.ts'
import { ToldLocation } from './location-problem.ts'

const closed = { additionalProperties: false }
const Text = Type.String()

/** What an alert shows of a run. */
const run = {
  checkResultId: nullable(Text),
  errorMessage: nullable(Text),
  responseTime: nullable(Type.Number()),
  apiStatus: nullable(Type.Object({ code: Type.Number(), text: Text }, closed)),
  runLocation: nullable(Text),
  startedAt: Type.Number(),
}

export const RunDetails = Type.Object(run, closed)
export type RunDetails = Static<typeof RunDetails>

/** What a notification tells, free of any channel's words. */
const AlertEvent = Type.Object(
  {
    alertType: Type.Enum([...alertTypes]),
    accountId: Text,
    checkAlertId: Text,
    /** Of an alert about a location or a group as a whole: its id (`group:7`) and its name, and no type. */
    checkId: Text,
    checkName: Text,
    checkType: nullable(Type.Enum([...checkTypes])),
    checkDescription: nullable(Text),
    groupId: nullable(Type.Integer()),
    groupName: nullable(Text),
    tags: Type.Array(Text),
    ...run,
    severity: Type.Enum([...severities], { default: 'NORMAL' }),
    /** Of the transition. */
    at: Type.Number(),
    /** 0: the first alert. */
    reminder: Type.Integer(),
    /** A snooze is over, and the check is still not well. */
    comesBack: Type.Boolean({ default: false }),
    /** It tells that the check flaps, or that it does no more. */
    flapping: nullable(Type.Enum(['begins', 'ends']), { default: null }),
    /** When it stopped being well (0: not known), and which run in a row at its level this is. */
    failingSince: Type.Number({ default: 0 }),
    streak: Type.Integer({ default: 0 }),
    /** What somebody had answered before. */
    response: nullable(AlertResponse, { default: null }),
    /** It began while the control plane was away, and could not be told before. */
    toldLate: Type.Boolean({ default: false }),
    /** How many checks depend on it and are not told of while it fails. */
    dependents: Type.Integer({ default: 0 }),
    /** Channels that it could not be delivered to, in their order; the name of the last one, and why. */
    insteadOf: nullable(
      Type.Object({ channelIds: Type.Array(Type.Integer()), name: Text, reason: Text }, closed),
      { default: null },
    ),
    ssl: nullable(Type.Object({ domain: Text, daysRemaining: Type.Number() }, closed)),
    /** What it is about, if not a check: one of these. */
    location: nullable(ToldLocation, { default: null }),
    group: nullable(ToldGroup, { default: null }),
  },
  closed,
)
export type AlertEvent = Static<typeof AlertEvent>

/** What alerts have in common that tell of no run of a check: of a location, a group, a certificate. */
export const ofNoRun = {
  checkResultId: null,
  responseTime: null,
  apiStatus: null,
  runLocation: null,
  reminder: 0,
  comesBack: false,
  streak: 0,
  response: null,
  severity: 'NORMAL',
  flapping: null,
  toldLate: false,
  dependents: 0,
  insteadOf: null,
  ssl: null,
  location: null,
  group: null,
} satisfies Partial<AlertEvent>

/** Not about a location, nor about a group as a whole. */
export const isOfCheck = ({ location, group }: Pick<AlertEvent, 'location' | 'group'>): boolean =>
  location === null && group === null

/** `alert_notifications.event` */
export const alertEvent = storedDoc({ name: 'alert event', schema: AlertEvent })
