import { type Static, Type } from 'typebox'
import { AlertSettings } from '../../access/accounts/alert-settings.ts'
import { channelTypes } from '../../alerting/channels/channel-type.ts'
import { LastAnswer } from '../../alerting/check-alerts/schema.ts'
import { heldBackPhases } from '../../alerting/engine/held-back.ts'
import { alertTypes, notificationStatuses } from '../../alerting/messages/alert-types.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

const Id = Type.String({ format: 'uuid' })
const DateTime = Type.String({ format: 'date-time' })
const levels = ['passing', 'degraded', 'failing'] as const
const closed = { additionalProperties: false }

/** A final result as alerting judged it; `none`: it was cancelled or could not be run, and changes nothing. */
const Judged = Type.Object(
  {
    checkResultId: Id,
    startedAt: DateTime,
    runLocation: Type.String(),
    verdict: Type.Enum([...levels, 'none']),
    retries: Type.Integer(),
  },
  { title: 'JudgedResult', ...closed },
)

const Rule = Type.Object(
  {
    text: Type.String({ description: 'With its numbers: `2 of 3 failing runs in a row`' }),
    met: Type.Boolean(),
    nextAlertAt: nullable(DateTime, {
      description: 'When time alone brings the next alert; null: only a run can',
    }),
  },
  { title: 'AlertRule', ...closed },
)

const Origin = Type.Object(
  {
    alertSettings: AlertSettings,
    from: Type.Enum(['account', 'group', 'check'], { description: 'Whose alert settings apply' }),
    parallelLocations: Type.Integer({
      description: 'Locations that run together and count once; 1: each by itself',
    }),
    failurePercentage: nullable(Type.Integer(), {
      description: 'Of them that must fail; null: one is enough',
    }),
  },
  { title: 'AlertSettingsOrigin', ...closed },
)

const Window = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    until: nullable(DateTime, { description: 'null: for more than a day' }),
  },
  { title: 'WindowInForce', ...closed },
)

const Channel = Type.Object(
  {
    alertChannelId: Type.Integer(),
    type: Type.Enum([...channelTypes]),
    subscribedThrough: nullable(Type.Enum(['check', 'group'])),
    alertNotificationId: nullable(Id),
    status: nullable(Type.Enum([...notificationStatuses])),
    sentAt: nullable(DateTime, { description: 'When the latest alert was last sent here; null: not yet' }),
    reason: Type.String({ description: 'What became of the latest alert here, or why it got none' }),
  },
  { title: 'ChannelOutcome', ...closed },
)

/** Why a check did alert, or did not. */
export const AlertExplanation = Type.Object(
  {
    checkId: Id,
    summary: Type.String({ description: 'One sentence for people' }),
    state: Type.Enum([...levels, 'unknown'], {
      description: 'unknown: no run has been judged, or no agent could run it when it was last due',
    }),
    since: nullable(DateTime, { description: 'null: passing, for all that is known, or unknown' }),
    told: nullable(Type.Enum(['degraded', 'failing']), {
      description: 'What channels were last told; null: all is well',
    }),
    response: LastAnswer,
    rule: Rule,
    reminders: Type.Object(
      { sent: Type.Integer(), amount: Type.Integer(), intervalMinutes: Type.Number() },
      { title: 'RemindersSent', ...closed },
    ),
    settings: Origin,
    mutedBy: nullable(Type.Enum(['check', 'group'])),
    deactivatedBy: nullable(Type.Enum(['check', 'group'])),
    silencedBy: Type.Array(Window, { description: 'Maintenance windows that keep alerts back now' }),
    pausedBy: Type.Array(Window, { description: 'Maintenance windows that keep it from running now' }),
    dependsOn: Type.Array(
      Type.Object(
        { checkId: nullable(Id), groupId: nullable(Type.Integer()), name: Type.String() },
        { title: 'DependencyByName', ...closed },
      ),
      { description: 'Checks and groups without which it cannot work, its own and those of its group' },
    ),
    keptBackBy: nullable(
      Type.Object(
        {
          name: Type.String(),
          phase: Type.Enum([...heldBackPhases], {
            description:
              'asked: it is being run, to know whether it is down; down; recovered: it is well, and this check is being run again',
          }),
          since: DateTime,
        },
        { title: 'KeptBack', ...closed },
      ),
      { description: 'The dependency because of which its failure is not told; null: none' },
    ),
    dependencyDowntime: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'As it was called then' }),
          from: DateTime,
          to: nullable(DateTime, { description: 'null: it still lasts' }),
        },
        { title: 'KeptBackTime', ...closed },
      ),
      {
        description:
          'When it failed and that was not told, because this was down; newest first, at most 20, for as long as alerts are kept',
      },
    ),
    toldBy: nullable(
      Type.Object({ groupId: Type.Integer(), name: Type.String() }, { title: 'TellingGroup', ...closed }),
      { description: 'Its group tells of failures instead of it (`groupHealth`); null: it tells of its own' },
    ),
    flapping: nullable(
      Type.Object(
        {
          since: DateTime,
          changes: Type.Integer({ description: 'Of its level, in its last 21 judged runs' }),
          percent: Type.Number({ description: 'The same, newer changes weighing more' }),
          endsBelow: Type.Number({ description: 'Percent' }),
        },
        { title: 'Flapping', ...closed },
      ),
      { description: 'That is told once, and nothing else until it ends; null: it does not flap' },
    ),
    latestAlert: nullable(
      Type.Object(
        { id: Id, alertType: Type.Enum([...alertTypes]), created_at: DateTime },
        { title: 'LatestAlert', ...closed },
      ),
    ),
    channels: Type.Array(Channel, { description: 'Every alert channel of the account' }),
    sequence: Type.Array(Judged, { description: 'The latest final results, newest first' }),
  },
  { title: 'AlertExplanation', ...closed },
)
export type AlertExplanation = Static<typeof AlertExplanation>
