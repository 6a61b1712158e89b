/** What a folded part of a form says while it is closed: its present values in one line. Pure. */
import { counted } from '../../../platform/web/html/words.ts'
import type { Field, Option } from './fields.ts'
import { type Place, pathOf, type Section } from './layout.ts'
import { isSetBlock, type Tree, treeOf } from './read-body.ts'
import { formLabel, optionLabel } from './words.ts'

type Filled = { values: Tree; isFresh: boolean }

/** The value at a place: what it has, or what it would have. */
const valueAt = (place: Place, { values, isFresh }: Filled): unknown => {
  const tree = treeOf(values[place.prefix])
  const holder = treeOf(place.within === '' ? tree : tree[place.within])
  const value = holder[place.field.name]
  const isUntouched = isFresh || (place.within !== '' && tree[place.within] === undefined)
  return value === undefined && isUntouched ? place.field.default : value
}

export type Values = { of: (name: string) => unknown; field: (name: string) => Field | undefined }

export const valuesOf = (places: readonly Place[], filled: Filled): Values => {
  const byName = new Map(places.map((place) => [pathOf(place), place]))
  return {
    of: (name) => {
      const place = byName.get(name)
      return place === undefined ? undefined : valueAt(place, filled)
    },
    field: (name) => byName.get(name)?.field,
  }
}

const isTrue = (value: unknown): boolean => value === true || value === 'true'
const rows = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** `5 s`, `250 ms` */
const time = (value: unknown): string => {
  const ms = Number(value)
  return ms >= 1000 && ms % 100 === 0 ? `${ms / 1000} s` : `${ms} ms`
}

const optionsOf = (field: Field | undefined): readonly Option[] =>
  field !== undefined && (field.kind === 'select' || field.kind === 'channels') ? field.options : []

const nameIn = (field: Field | undefined, value: unknown): string =>
  optionsOf(field).find((option) => String(option.value) === text(value))?.label ?? text(value)

type Say = (value: unknown, values: Values) => string

const list = (value: unknown, noun: string, key: string): string => {
  const names = rows(value)
    .map((row) => text(treeOf(row)[key]))
    .filter((name) => name !== '')
  if (names.length === 0) return ''
  return `${counted(names.length, noun)} (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`
}

const retries: Say = (value) => {
  if (!isSetBlock(value)) return 'none'
  const { type = 'FIXED', maxRetries = 2, baseBackoffSeconds = 60, sameRegion } = treeOf(value)
  if (type === 'SINGLE_RETRY') return 'one more try'
  const times = Number(maxRetries) === 1 ? 'once' : Number(maxRetries) === 2 ? 'twice' : `${maxRetries} times`
  const apart = type === 'FIXED' ? `${baseBackoffSeconds} s apart` : `after ${baseBackoffSeconds} s and more`
  return `${times}, ${apart}${sameRegion === undefined || isTrue(sameRegion) ? ', in the same place' : ''}`
}

const rule: Say = (value, { of }) => {
  if (isTrue(of('useGlobalAlertSettings'))) return "by the account's rules"
  const { escalationType, runBasedEscalation, timeBasedEscalation, reminders } = treeOf(value)
  const runs = text(treeOf(runBasedEscalation)['failedRunThreshold'] ?? 1)
  const minutes = text(treeOf(timeBasedEscalation)['minutesFailingThreshold'] ?? 5)
  const amount = Number(treeOf(reminders)['amount'] ?? 0)
  return `${escalationType === 'TIME_BASED' ? `after ${minutes} minutes` : `after ${counted(Number(runs), 'failed run')}`} · ${amount === 0 ? 'no reminders' : counted(amount, 'reminder')}`
}

const script =
  (words: string): Say =>
  (value) =>
    text(value).trim() === '' ? '' : words

const sayings: { readonly [path: string]: Say } = {
  alertSettings: rule,
  muted: (value) => (isTrue(value) ? 'muted' : ''),
  useGlobalAlertSettings: () => '',
  autoAssignAlerts: () => '',
  alertChannelSubscriptions: () => '',
  'request.headers': (value) => list(value, 'header', 'key') || 'no headers',
  'request.queryParameters': (value) => list(value, 'parameter', 'key'),
  'request.bodyType': (value) =>
    text(value) === 'NONE' || text(value) === '' ? 'no body' : `body: ${optionLabel('bodyType', value)}`,
  'request.body': () => '',
  'request.basicAuth': (value) => (isSetBlock(value) ? 'signs in' : ''),
  degradedResponseTime: (value) => (text(value) === '' ? 'never degraded' : `degraded from ${time(value)}`),
  maxResponseTime: (value) => (text(value) === '' ? 'never failed' : `failed from ${time(value)}`),
  degradedPacketLossThreshold: (value) => (text(value) === '' ? '' : `degraded from ${text(value)} % loss`),
  maxPacketLossThreshold: (value) => (text(value) === '' ? '' : `failed from ${text(value)} % loss`),
  retryStrategy: retries,
  groupId: (value, { field }) => (text(value) === '' ? 'no group' : nameIn(field('groupId'), value)),
  groupOrder: () => '',
  tags: (value) =>
    (Array.isArray(value) ? value.map(String) : text(value).split('\n')).filter(Boolean).join(', ') ||
    'no tags',
  description: (value) => text(value).slice(0, 60),
  triggerIncident: (value) =>
    isSetBlock(value) ? `opens an incident: ${text(treeOf(value)['name'])}` : 'opens no incident',
  environmentVariables: (value) => list(value, 'variable', 'key') || 'no variables',
  localSetupScript: script('a script before'),
  localTearDownScript: script('a script after'),
  setupSnippetId: script('a snippet before'),
  tearDownSnippetId: script('a snippet after'),
  activated: (value) => (isTrue(value) ? '' : 'switched off'),
  'request.followRedirects': (value) => (isTrue(value) ? 'redirects followed' : 'redirects not followed'),
  'request.skipSSL': (value) => (isTrue(value) ? 'any certificate accepted' : 'certificates checked'),
  'request.ipFamily': (value) => text(value),
  runtimeId: (value) => text(value),
}

/** What has no words of its own is told where it is not as it would be by itself. */
const anyOther = (place: Place, value: unknown): string => {
  const { field } = place
  const isEmpty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty || text(value) === text(field.default ?? '')) return ''
  if (field.kind === 'translations') {
    const { length } = Object.keys(treeOf(value))
    return length === 0 ? '' : `in ${counted(length, 'other language')}`
  }
  if (field.kind === 'switch') return isTrue(value) ? formLabel(field.name).toLowerCase() : ''
  if (field.kind === 'group') return isSetBlock(value) ? formLabel(field.name).toLowerCase() : ''
  if (field.kind === 'rows') return `${formLabel(field.name).toLowerCase()}: ${rows(value).length}`
  if (field.kind === 'select') return `${formLabel(field.name).toLowerCase()}: ${nameIn(field, value)}`
  return `${formLabel(field.name).toLowerCase()}: ${text(value).slice(0, 40)}`
}

export const presentOf = ({ lines }: Section, values: Values): string =>
  lines
    .flat()
    .map((place) => {
      const path = pathOf(place)
      const value = values.of(path)
      return sayings[path]?.(value, values) ?? anyOther(place, value)
    })
    .filter((each) => each !== '')
    .join(' · ') || 'as it comes'

/** Who hears of it: all channels, those that are chosen, or nobody. */
export const toldOf = (values: Values): { names: string[]; isMuted: boolean } => {
  const field = values.field('alertChannelSubscriptions')
  const options = optionsOf(field)
  const isMuted = isTrue(values.of('muted'))
  if (values.field('autoAssignAlerts') !== undefined && isTrue(values.of('autoAssignAlerts')))
    return { names: options.map(({ label }) => label), isMuted }
  const chosen = rows(values.of('alertChannelSubscriptions')).filter(
    (each) => treeOf(each)['activated'] === undefined || isTrue(treeOf(each)['activated']),
  )
  return { names: chosen.map((each) => nameIn(field, treeOf(each)['alertChannelId'] ?? each)), isMuted }
}

export const namesInWords = (names: readonly string[]): string =>
  names.length <= 2 ? names.join(' and ') : `${names[0]}, ${names[1]} and ${names.length - 2} more`
