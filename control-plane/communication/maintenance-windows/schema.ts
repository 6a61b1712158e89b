/**
 * Maintenance windows as customers see them. `tags` say which checks are paused,
 * `silenceAlertsTags` whose alerts are kept back; a tag meets a check through the check's own tags or its group's.
 */
import { type Static, Type } from 'typebox'
import { DateOrDateTime, DateTime, DateTimeOrNull } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { changesOf, optional } from '../../platform/words/shapes/optional-fields.ts'
import { translationsOf } from '../stored-pages/translations.ts'
import { maintenanceStatuses } from './phases.ts'

const closed = { additionalProperties: false }

const WindowWarning = Type.Object({ message: Type.String() }, { title: 'MaintenanceWindowWarning' })
const maxInt = 2_147_483_647

const ids = (what: string) =>
  Type.Array(Type.String({ format: 'uuid' }), {
    maxItems: 100,
    uniqueItems: true,
    default: [],
    description: what,
  })
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 100,
  uniqueItems: true,
  default: [],
})
const switchedOff = (description: string) => Type.Boolean({ default: false, description })

const visibilityFields = {
  enabled: switchedOff('Shown on status pages; nothing else in here acts without it'),
  severity: nullable(Type.Enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR']), { default: null }),
  affectAllServices: switchedOff('All services of the linked pages; `serviceIds` is then empty'),
  suppressAutoIncidents: switchedOff('Checks open no incidents on affected services meanwhile'),
  notifyOnStart: switchedOff('Tell subscribers when it starts'),
  notifyOnEnd: switchedOff('Tell subscribers when it ends'),
  autoStart: Type.Boolean({ default: true, description: 'Starts by itself' }),
  autoEnd: Type.Boolean({ default: true, description: 'Ends by itself' }),
  showAffectedServices: Type.Boolean({
    default: true,
    description: 'False: shown as a general event, and downtime counts',
  }),
  reminderMinutesBefore: Type.Array(Type.Integer({ minimum: 60, maximum: 10_080 }), {
    maxItems: 3,
    uniqueItems: true,
    default: [],
    description: 'Tell subscribers this many minutes before it starts',
  }),
  statusPageIds: ids('The pages that show it'),
  serviceIds: ids('The affected services, each on one of those pages'),
}

export const StatusPageVisibility = Type.Object(visibilityFields, { title: 'StatusPageVisibility' })
export type StatusPageVisibility = Static<typeof StatusPageVisibility>

const NewVisibility = Type.Object(optional(visibilityFields), {
  ...closed,
  default: {},
  title: 'NewStatusPageVisibility',
})
const VisibilityChanges = Type.Object(changesOf(visibilityFields), {
  ...closed,
  title: 'StatusPageVisibilityChanges',
})

const name = Type.String({ minLength: 1, maxLength: 200 })
const RepeatUnit = Type.Enum(['DAY', 'WEEK', 'MONTH'])

export const windowSettings = {
  tags: Tags,
  pauseAllChecks: switchedOff('Pause all checks of the account, whatever `tags` says'),
  silenceAlertsTags: Tags,
  silenceAllAlerts: switchedOff('Keep back all alerts, whatever `silenceAlertsTags` says'),
  description: nullable(Type.String({ maxLength: 2000 }), { default: null }),
  translations: translationsOf('MaintenanceWindow', {
    name,
    description: Type.String({ minLength: 1, maxLength: 2000 }),
  }),
  repeatUnit: nullable(RepeatUnit, { default: null, description: 'Null: happens once' }),
  repeatInterval: nullable(Type.Integer({ minimum: 1, maximum: 365 }), {
    default: null,
    description: 'Every so many units, counted from the first occurrence',
  }),
}

const writable = {
  ...windowSettings,
  timezone: nullable(Type.String({ minLength: 1, maxLength: 64 }), {
    default: null,
    description: 'IANA name; null is UTC. Dates are read, and occurrences repeat, in local time',
  }),
  repeatEndsAt: nullable(DateOrDateTime, {
    default: null,
    description: 'The last calendar date in the time zone on which an occurrence may start',
  }),
}
const times = { startsAt: DateOrDateTime, endsAt: DateOrDateTime }

export const NewMaintenanceWindow = Type.Object(
  { name, ...times, ...optional(writable), statusPageVisibility: Type.Optional(NewVisibility) },
  { ...closed, title: 'NewMaintenanceWindow' },
)
export type NewMaintenanceWindow = Static<typeof NewMaintenanceWindow>

/** Only what is sent changes, also within `statusPageVisibility`. */
export const MaintenanceWindowChanges = Type.Object(
  {
    ...changesOf({ name, ...times, ...writable }),
    statusPageVisibility: Type.Optional(VisibilityChanges),
  },
  { ...closed, title: 'MaintenanceWindowChanges' },
)
export type MaintenanceWindowChanges = Static<typeof MaintenanceWindowChanges>

export const MaintenanceWindow = Type.Object(
  {
    id: Type.Integer(),
    name,
    startsAt: DateTime,
    endsAt: DateTime,
    timezone: Type.String(),
    ...windowSettings,
    repeatEndsAt: nullable(DateOrDateTime, { description: 'As it was sent' }),
    statusPageVisibility: StatusPageVisibility,
    created_at: DateTime,
    updated_at: DateTimeOrNull,
    warnings: Type.Optional(
      Type.Array(WindowWarning, { description: 'Only in answers to writes: why it does nothing' }),
    ),
  },
  { title: 'MaintenanceWindow' },
)
export type MaintenanceWindow = Static<typeof MaintenanceWindow>

const Status = Type.Enum([...maintenanceStatuses])
const Text = Type.String({ minLength: 1, maxLength: 2000 })
const updateTranslations = translationsOf('MaintenanceUpdate', { description: Text })

export const NewMaintenanceUpdate = Type.Object(
  {
    status: Status,
    description: Text,
    translations: Type.Optional(updateTranslations),
    notifySubscribers: Type.Optional(switchedOff('Tell subscribers')),
  },
  { ...closed, title: 'NewMaintenanceUpdate' },
)

export const MaintenanceUpdateChanges = Type.Object(
  { description: Text, ...changesOf({ translations: updateTranslations }), status: Type.Optional(Status) },
  { ...closed, title: 'MaintenanceUpdateChanges' },
)

export const MaintenanceUpdate = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    maintenanceId: Type.String({ description: 'Of the occurrence' }),
    maintenanceWindowId: Type.Integer(),
    status: Status,
    description: Text,
    translations: updateTranslations,
    notifySubscribers: Type.Boolean(),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'MaintenanceUpdate' },
)
export type MaintenanceUpdate = Static<typeof MaintenanceUpdate>

export const MaintenanceChanges = Type.Object(changesOf(times), { ...closed, title: 'MaintenanceChanges' })
export type MaintenanceChanges = Static<typeof MaintenanceChanges>

/** One occurrence of a window. */
export const Maintenance = Type.Object(
  {
    id: Type.String({ description: '`<window>-<YYYYMMDD>`: the date that the repetition gives it' }),
    maintenanceWindowId: Type.Integer(),
    startsAt: DateTime,
    endsAt: DateTime,
    status: Status,
    updates: Type.Array(MaintenanceUpdate, { description: 'Newest first' }),
    created_at: DateTime,
    updated_at: DateTimeOrNull,
  },
  { title: 'Maintenance' },
)
export type Maintenance = Static<typeof Maintenance>

export const WindowId = Type.Object({ id: Type.Integer({ minimum: 1, maximum: maxInt }) })
export const MaintenanceId = Type.Object({
  ...WindowId.properties,
  maintenanceId: Type.String({ pattern: '^[1-9][0-9]{0,9}-[0-9]{8}$' }),
})
export const UpdateId = Type.Object({
  ...MaintenanceId.properties,
  updateId: Type.String({ format: 'uuid' }),
})
