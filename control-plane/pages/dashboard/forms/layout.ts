/** Which fields of a form stand together, and in which order; what is rarely changed is folded. Pure. */
import type { Field } from './fields.ts'

/** A field and where its value is: `within` is the path of what holds it, empty at the top. */
export type Place = { field: Field; prefix: 'body' | 'query'; within: string }

/** `lines`: what stands beside each other. Folded ones say their present values in one line. */
export type Section = { title: string; isFolded: boolean; lines: ReadonlyArray<readonly Place[]> }

/** Names by their path, those of the query after a `?`; no lines: what no section names. */
type Plan = ReadonlyArray<{ title: string; lines: ReadonlyArray<readonly string[]>; isFolded?: true }>

/** Of checks: what a person knows comes first, everything else is a line that says how it is. */
const checkPlan: Plan = [
  {
    title: '',
    lines: [
      ['request.method', 'request.url'],
      ['request.hostname', 'request.port'],
      ['request.query', 'request.recordType'],
      ['request.sslConfig'],
      ['request.protocol'],
      ['request.grpcConfig'],
      ['name', 'frequency'],
      ['heartbeat.period', 'heartbeat.periodUnit', 'heartbeat.grace', 'heartbeat.graceUnit'],
      ['privateLocations'],
      ['locations'],
      ['prompt'],
      ['script'],
      ['codeBundleId', 'testCommand'],
      ['request.assertions'],
    ],
  },
  {
    title: 'Whom to tell',
    lines: [
      ['?autoAssignAlerts'],
      ['alertChannelSubscriptions'],
      ['severity', 'muted'],
      ['dependsOn'],
      ['groupHealth'],
      ['useGlobalAlertSettings'],
      ['alertSettings'],
    ],
    isFolded: true,
  },
  {
    title: 'Headers and body',
    lines: [
      ['request.headers'],
      ['request.queryParameters'],
      ['request.bodyType'],
      ['request.body'],
      ['request.basicAuth'],
      ['request.data'],
    ],
    isFolded: true,
  },
  {
    title: 'When it is slow',
    lines: [
      ['degradedResponseTime', 'maxResponseTime'],
      ['degradedPacketLossThreshold', 'maxPacketLossThreshold'],
    ],
    isFolded: true,
  },
  { title: 'Retries', lines: [['retryStrategy']], isFolded: true },
  { title: 'Group and tags', lines: [['groupId', 'groupOrder'], ['tags'], ['description']], isFolded: true },
  { title: 'Status page', lines: [['triggerIncident']], isFolded: true },
  {
    title: 'Scripts and variables',
    lines: [
      ['environmentVariables'],
      ['setupSnippetId', 'tearDownSnippetId'],
      ['localSetupScript'],
      ['localTearDownScript'],
      ['dependencies'],
    ],
    isFolded: true,
  },
  { title: 'More', lines: [], isFolded: true },
]

const groupPlan: Plan = [
  {
    title: '',
    lines: [['name', 'concurrency'], ['privateLocations'], ['locations'], ['runParallel'], ['activated']],
  },
  ...checkPlan.filter(({ title }) => ['Whom to tell', 'Retries'].includes(title)),
  { title: 'Tags', lines: [['tags'], ['description']], isFolded: true },
  { title: 'Requests of its API checks', lines: [['apiCheckDefaults']], isFolded: true },
  ...checkPlan.filter(({ title }) => ['Scripts and variables', 'More'].includes(title)),
]

const statusPagePlan: Plan = [
  {
    title: '',
    lines: [['name', 'url'], ['description'], ['translations'], ['cards'], ['isPrivate'], ['customDomain']],
  },
  { title: 'What it is about', lines: [] },
  {
    title: 'Branding',
    lines: [
      ['logo', 'logoDark'],
      ['favicon', 'redirectTo'],
      ['defaultTheme'],
      ['themeColors'],
      ['whiteLabel'],
      ['version'],
    ],
    isFolded: true,
  },
]

/** What is asked differs by kind; a kind that sends requests of its own has as much to fold as a check. */
const channelPlan: Plan = [
  { title: '', lines: [] },
  {
    title: 'What it tells',
    lines: [
      ['sendFailure', 'sendRecovery', 'sendDegraded'],
      ['autoSubscribe', '?subscribeExistingChecks'],
    ],
  },
  {
    title: 'Headers and body',
    lines: [['config.headers'], ['config.queryParameters'], ['config.webhookSecret'], ['config.template']],
    isFolded: true,
  },
  { title: 'Hours and fallback', lines: [['hours'], ['grouping'], ['fallbackChannelId']], isFolded: true },
  {
    title: 'Subscriptions and certificates',
    lines: [['subscriptions'], ['locationAlerts'], ['sslExpiry', 'sslExpiryThreshold']],
    isFolded: true,
  },
]

const accountPlan: Plan = [
  { title: '', lines: [['name', 'runtimeId']] },
  {
    title: 'When a check alerts',
    lines: [
      ['alertSettings.escalationType'],
      ['alertSettings.runBasedEscalation', 'alertSettings.timeBasedEscalation'],
      ['alertSettings.reminders', 'alertSettings.parallelRunFailureThreshold'],
      ['alertSettings.flapping', 'alertSettings.dependencyWaitSeconds'],
    ],
  },
  { title: 'What is told together', lines: [['alertSettings.stormBrake', 'alertSettings.grouping']] },
  { title: 'Settings', lines: [] },
]

const plans: { readonly [tag: string]: Plan } = {
  Accounts: accountPlan,
  'Status pages': statusPagePlan,
  Checks: checkPlan,
  'Check groups': groupPlan,
  'Alert channels': channelPlan,
}

/** Groups whose fields stand among those of the form. */
const withoutFrame: readonly string[] = ['request', 'heartbeat', 'config']
const withoutFrameIn: { readonly [tag: string]: readonly string[] } = {
  Accounts: ['alertSettings', 'settings'],
}

type FormFields = { bodyFields: readonly Field[]; queryFields: readonly Field[] }

/** The parts of a request are fields like all others; a choice of one thing is none. */
const placesOf = (tag: string, { bodyFields, queryFields }: FormFields): Place[] => [
  ...bodyFields.flatMap((field): Place[] =>
    field.kind === 'group' && !field.isNullable && (withoutFrameIn[tag] ?? withoutFrame).includes(field.name)
      ? field.fields
          .filter((each) => each.kind !== 'select' || each.isNullable || each.options.length > 1)
          .map((each) => ({ field: each, prefix: 'body', within: field.name }))
      : [{ field, prefix: 'body', within: '' }],
  ),
  ...queryFields.map((field): Place => ({ field, prefix: 'query', within: '' })),
]

export const pathOf = ({ field, within }: Pick<Place, 'field' | 'within'>): string =>
  within === '' ? field.name : `${within}.${field.name}`

const keyOf = (place: Place): string => `${place.prefix === 'query' ? '?' : ''}${pathOf(place)}`

export const sectionsOf = (tag: string, fields: FormFields): Section[] => {
  const places = placesOf(tag, fields)
  const plan = plans[tag]
  // A form of few fields, such as one that only asks for a time, is no plan's.
  if (plan === undefined || !places.some(({ field }) => field.name === 'name' || field.name === 'config'))
    return [{ title: '', isFolded: false, lines: places.map((place) => [place]) }]
  const byKey = new Map(places.map((place) => [keyOf(place), place]))
  const planned = new Set(plan.flatMap(({ lines }) => lines.flat()))
  const others = places.filter((place) => !planned.has(keyOf(place)))
  return plan
    .map(({ title, lines, isFolded = false }) => ({
      title,
      isFolded,
      lines:
        lines.length === 0
          ? others.map((place) => [place])
          : lines
              .map((names) => names.flatMap((name) => byKey.get(name) ?? []))
              .filter((line) => line.length > 0),
    }))
    .filter(({ lines }) => lines.length > 0)
}
