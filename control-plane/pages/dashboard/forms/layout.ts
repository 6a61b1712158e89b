/** Which fields of a form stand together, and in which order; what is rarely changed is folded. Pure. */
import type { Field } from './fields.ts'

type Section = { title: string; fields: readonly Field[]; isFolded: boolean }

type Plan = ReadonlyArray<{ title: string; names: readonly string[]; isFolded?: true }>

/** Of checks and their groups. What only some types have comes after the name. */
const checkPlan: Plan = [
  { title: 'Name', names: ['name', 'description', 'tags', 'groupId'] },
  { title: 'What it does', names: [] },
  {
    title: 'Where and how often',
    names: ['frequency', 'frequencyOffset', 'privateLocations', 'locations', 'runParallel', 'concurrency'],
  },
  { title: 'When it is slow', names: ['degradedResponseTime', 'maxResponseTime', 'shouldFail'] },
  {
    title: 'Alerts',
    names: [
      'activated',
      'muted',
      'alertChannelSubscriptions',
      'retryStrategy',
      'useGlobalAlertSettings',
      'alertSettings',
      'triggerIncident',
    ],
  },
  {
    title: 'More',
    names: [
      'runtimeId',
      'groupOrder',
      'intent',
      'aiAutoRepairEnabled',
      'sendTraceparent',
      'environmentVariables',
      'localSetupScript',
      'localTearDownScript',
      'setupSnippetId',
      'tearDownSnippetId',
    ],
    isFolded: true,
  },
]

const statusPagePlan: Plan = [
  { title: '', names: ['name', 'url', 'description', 'cards', 'isPrivate', 'customDomain'] },
  { title: 'What it is about', names: [] },
  {
    title: 'Branding',
    names: [
      'logo',
      'logoDark',
      'favicon',
      'redirectTo',
      'defaultTheme',
      'themeColors',
      'whiteLabel',
      'version',
    ],
    isFolded: true,
  },
]

const plans: { [tag: string]: Plan } = {
  'Status pages': statusPagePlan,
  Checks: checkPlan,
  'Check groups': checkPlan,
}

export const sectionsOf = (tag: string, fields: readonly Field[]): Section[] => {
  const plan = plans[tag]
  if (plan === undefined) return [{ title: '', fields, isFolded: false }]
  const planned = new Set(plan.flatMap(({ names }) => names))
  const others = fields.filter(({ name }) => !planned.has(name))
  return plan
    .map(({ title, names, isFolded = false }) => ({
      title,
      fields:
        names.length === 0 ? others : names.flatMap((name) => fields.filter((field) => field.name === name)),
      isFolded,
    }))
    .filter((section) => section.fields.length > 0)
}
