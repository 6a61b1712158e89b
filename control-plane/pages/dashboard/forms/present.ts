/** What a folded part of a form says while it is closed: its present values in one line. Pure. */
import type { Content } from '../../../platform/web/html/html.ts'
import type { Forms } from '../../../platform/web/html/locale.ts'
import { count, listed, number, say } from '../../../platform/web/html/say.ts'
import type { Field, Option } from './fields.ts'
import { type Place, pathOf, type Section } from './layout.ts'
import { isSetBlock, type Tree, treeOf } from './read-body.ts'
import { formLabel, sayOption } from './words.ts'

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
const time = (value: unknown): Content => {
  const ms = Number(value)
  return ms >= 1000 && ms % 100 === 0 ? say('{0} s', number(ms / 1000)) : say('{0} ms', number(ms))
}

const optionsOf = (field: Field | undefined): readonly Option[] =>
  field !== undefined && (field.kind === 'select' || field.kind === 'channels') ? field.options : []

const nameIn = (field: Field | undefined, value: unknown): Content => {
  const option = optionsOf(field).find((each) => String(each.value) === text(value))
  return option?.said ?? option?.label ?? text(value)
}

type Say = (value: unknown, values: Values) => Content

const list = (value: unknown, forms: Forms, key: string): Content => {
  const names = rows(value)
    .map((row) => text(treeOf(row)[key]))
    .filter((name) => name !== '')
  if (names.length === 0) return ''
  return [count(names.length, forms), ` (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`]
}

const retries: Say = (value) => {
  if (!isSetBlock(value)) return say('none')
  const { type = 'FIXED', maxRetries = 2, baseBackoffSeconds = 60, sameRegion } = treeOf(value)
  if (type === 'SINGLE_RETRY') return say('one more try')
  const seconds = text(baseBackoffSeconds)
  return [
    count(Number(maxRetries), { one: 'once', other: '# times' }),
    ', ',
    type === 'FIXED' ? say('{0} s apart', seconds) : say('after {0} s and more', seconds),
    (sameRegion === undefined || isTrue(sameRegion)) && [', ', say('in the same place')],
  ]
}

const rule: Say = (value, { of }) => {
  if (isTrue(of('useGlobalAlertSettings'))) return say("by the account's rules")
  const { escalationType, runBasedEscalation, timeBasedEscalation, reminders } = treeOf(value)
  const runs = Number(treeOf(runBasedEscalation)['failedRunThreshold'] ?? 1)
  const minutes = Number(treeOf(timeBasedEscalation)['minutesFailingThreshold'] ?? 5)
  const amount = Number(treeOf(reminders)['amount'] ?? 0)
  return [
    escalationType === 'TIME_BASED'
      ? count(minutes, { one: 'after # minute', other: 'after # minutes' })
      : count(runs, { one: 'after # failed run', other: 'after # failed runs' }),
    ' · ',
    amount === 0 ? say('no reminders') : count(amount, { one: '# reminder', other: '# reminders' }),
  ]
}

const script =
  (words: string): Say =>
  (value) =>
    text(value).trim() === '' ? '' : say(words)

const or = (content: Content, otherwise: Content): Content => (content === '' ? otherwise : content)

const sayings: { readonly [path: string]: Say } = {
  alertSettings: rule,
  muted: (value) => (isTrue(value) ? say('muted') : ''),
  useGlobalAlertSettings: () => '',
  autoAssignAlerts: () => '',
  alertChannelSubscriptions: () => '',
  'request.headers': (value) =>
    or(list(value, { one: '# header', other: '# headers' }, 'key'), say('no headers')),
  'request.queryParameters': (value) => list(value, { one: '# parameter', other: '# parameters' }, 'key'),
  'request.bodyType': (value) =>
    text(value) === 'NONE' || text(value) === ''
      ? say('no body')
      : say('body: {0}', sayOption('bodyType', value)),
  'request.body': () => '',
  'request.basicAuth': (value) => (isSetBlock(value) ? say('signs in') : ''),
  degradedResponseTime: (value) =>
    text(value) === '' ? say('never degraded') : say('degraded from {0}', time(value)),
  maxResponseTime: (value) =>
    text(value) === '' ? say('never failed') : say('failed from {0}', time(value)),
  degradedPacketLossThreshold: (value) =>
    text(value) === '' ? '' : say('degraded from {0} % loss', text(value)),
  maxPacketLossThreshold: (value) => (text(value) === '' ? '' : say('failed from {0} % loss', text(value))),
  retryStrategy: retries,
  groupId: (value, { field }) => (text(value) === '' ? say('no group') : nameIn(field('groupId'), value)),
  groupOrder: () => '',
  tags: (value) =>
    (Array.isArray(value) ? value.map(String) : text(value).split('\n')).filter(Boolean).join(', ') ||
    say('no tags'),
  description: (value) => text(value).slice(0, 60),
  triggerIncident: (value) =>
    isSetBlock(value) ? say('opens an incident: {0}', text(treeOf(value)['name'])) : say('opens no incident'),
  environmentVariables: (value) =>
    or(list(value, { one: '# variable', other: '# variables' }, 'key'), say('no variables')),
  localSetupScript: script('a script before'),
  localTearDownScript: script('a script after'),
  setupSnippetId: script('a snippet before'),
  tearDownSnippetId: script('a snippet after'),
  activated: (value) => (isTrue(value) ? '' : say('switched off')),
  'request.followRedirects': (value) =>
    isTrue(value) ? say('redirects followed') : say('redirects not followed'),
  'request.skipSSL': (value) =>
    isTrue(value) ? say('any certificate accepted') : say('certificates checked'),
  'request.ipFamily': (value) => text(value),
  runtimeId: (value) => text(value),
  'config.headers': (value) =>
    or(list(value, { one: '# header', other: '# headers' }, 'key'), say('no headers')),
  'config.template': script('a body of its own'),
  sslExpiry: (value, { of }) =>
    isTrue(value)
      ? count(Number(of('sslExpiryThreshold')), {
          one: 'told # day before one expires',
          other: 'told # days before one expires',
        })
      : say('not told when one expires'),
  sslExpiryThreshold: () => '',
  subscriptions: (value) => (rows(value).length === 0 ? say('none') : number(rows(value).length)),
}

/** What has no words of its own is told where it is not as it would be by itself. */
const anyOther = (place: Place, value: unknown): Content => {
  const { field } = place
  const label = say(formLabel(field.name))
  const isEmpty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty || text(value) === text(field.default ?? '')) return ''
  if (field.kind === 'translations') {
    const { length } = Object.keys(treeOf(value))
    return length === 0 ? '' : count(length, { one: 'in # other language', other: 'in # other languages' })
  }
  if (field.kind === 'switch') return isTrue(value) ? label : ''
  if (field.kind === 'group') return isSetBlock(value) ? label : ''
  if (field.kind === 'rows') return [label, `: ${rows(value).length}`]
  if (field.kind === 'select') return [label, ': ', nameIn(field, value)]
  return [label, `: ${text(value).slice(0, 40)}`]
}

export const presentOf = ({ lines }: Section, values: Values): Content => {
  const said = lines
    .flat()
    .map((place) => {
      const path = pathOf(place)
      const value = values.of(path)
      return sayings[path]?.(value, values) ?? anyOther(place, value)
    })
    .filter((each) => each !== '')
  return said.length === 0 ? say('as it comes') : said.map((each, at) => [at === 0 ? '' : ' · ', each])
}

/** Who hears of it: all channels, those that are chosen, or nobody. */
export const toldOf = (values: Values): { names: Content[]; isMuted: boolean } => {
  const field = values.field('alertChannelSubscriptions')
  const options = optionsOf(field)
  const isMuted = isTrue(values.of('muted'))
  if (values.field('autoAssignAlerts') !== undefined && isTrue(values.of('autoAssignAlerts')))
    return { names: options.map(({ label, said = label }) => said), isMuted }
  const chosen = rows(values.of('alertChannelSubscriptions')).filter(
    (each) => treeOf(each)['activated'] === undefined || isTrue(treeOf(each)['activated']),
  )
  return { names: chosen.map((each) => nameIn(field, treeOf(each)['alertChannelId'] ?? each)), isMuted }
}

export const namesInWords = (names: readonly Content[]): Content =>
  names.length <= 2
    ? listed(names)
    : say('{0}, {1} and {2} more', names[0] ?? '', names[1] ?? '', names.length - 2)
