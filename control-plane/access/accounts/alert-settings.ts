import { Type } from 'typebox'

const closed = { additionalProperties: false }

/** Integer values as an enum; `Type.Enum` takes them too, this keeps the type a number. */
const oneOf = (values: number[], fallback: number) =>
  Type.Unsafe<number>({ type: 'number', enum: values, default: fallback })

/** When a failing check alerts, and how often again. Times in minutes. */
export const AlertSettings = Type.Object(
  {
    escalationType: Type.Optional(Type.Enum(['RUN_BASED', 'TIME_BASED'], { default: 'RUN_BASED' })),
    runBasedEscalation: Type.Optional(
      Type.Object(
        { failedRunThreshold: Type.Optional(oneOf([1, 2, 3, 4, 5], 1)) },
        { ...closed, default: {} },
      ),
    ),
    timeBasedEscalation: Type.Optional(
      Type.Object(
        { minutesFailingThreshold: Type.Optional(oneOf([5, 10, 15, 30], 5)) },
        { ...closed, default: {} },
      ),
    ),
    reminders: Type.Optional(
      Type.Object(
        {
          amount: Type.Optional(oneOf([0, 1, 2, 3, 4, 5, 100_000], 0)),
          interval: Type.Optional(oneOf([1, 2, 3, 4, 5, 10, 15, 30], 5)),
        },
        { ...closed, default: {} },
      ),
    ),
    parallelRunFailureThreshold: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(Type.Boolean({ default: false })),
          percentage: Type.Optional(oneOf([10, 20, 30, 40, 50, 60, 70, 80, 90, 100], 10)),
        },
        { ...closed, default: {} },
      ),
    ),
    flapping: Type.Optional(
      Type.Object(
        {
          enabled: Type.Optional(Type.Boolean({ default: false })),
          high: Type.Optional(Type.Integer({ minimum: 5, maximum: 100, default: 30 })),
          low: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
        },
        {
          ...closed,
          description:
            'A check whose level changed in `high` percent of its last 21 runs, newer changes weighing more, is told once as flapping, and once more ' +
            'when that is less than `low` percent. Left out: off',
        },
      ),
    ),
  },
  { ...closed, title: 'AlertSettings' },
)

export const groupings = ['NONE', 'DEPENDENCY', 'GROUP', 'TAG', 'LOCATION'] as const

/** What is told together, in one message. */
export const Grouping = Type.Object(
  {
    by: Type.Optional(
      Type.Enum([...groupings], {
        default: 'NONE',
        description: 'What they have in common: the first that each depends on, its first tag, …',
      }),
    ),
    intervalSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 3600,
        default: 300,
        description: 'The first is told at once, what follows within this time in one message at its end',
      }),
    ),
  },
  { ...closed, title: 'Grouping' },
)

const StormBrake = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: false })),
    checks: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 400, default: 20, description: 'So many checks are a storm' }),
    ),
    percent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 30,
        description: 'Or such a share of the active ones, and at least 5',
      }),
    ),
    seconds: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 600, default: 60, description: 'That fail within this time' }),
    ),
  },
  {
    ...closed,
    title: 'StormBrake',
    description:
      'Checks that begin to fail together, of one host, in one location or anywhere in the account, are told of in one message for each channel. ' +
      'A new account has it on; left out: off',
  },
)

/** The account's own say more: what holds for all of its checks alike. */
export const AccountAlertSettings = Type.Object(
  {
    ...AlertSettings.properties,
    stormBrake: Type.Optional(StormBrake),
    grouping: Type.Optional(Grouping),
    dependencyWaitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60,
        default: 10,
        description: 'A failure waits so long at most for a run of what the check depends on; 0: for none',
      }),
    ),
  },
  { ...closed, title: 'AccountAlertSettings' },
)
