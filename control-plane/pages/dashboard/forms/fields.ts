/** From the schema of a body to the fields of its form: every form of the dashboard is made from what the API itself validates by. Pure. */
import type { Content } from '../../../platform/web/html/html.ts'
import { say } from '../../../platform/web/html/say.ts'
import { everyOptions } from './every.ts'
import { isSilent } from './form-words.ts'
import { isOlderName } from './older-names.ts'
import { formLabel, optionLabel, sayOption } from './words.ts'

export type Schema = {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: { readonly [name: string]: Schema }
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  allOf?: ReadonlyArray<{ if?: Schema; then?: Schema }>
  default?: unknown
  description?: string
  title?: string
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  deprecated?: boolean
  examples?: readonly unknown[]
}

/** `said`: a label of ours in the reader's language; others are names. */
export type Option = { value: unknown; label: string; said?: Content }

type Common = {
  name: string
  label: string
  help: string
  isRequired: boolean
  /** Null is a value of it: nothing is set. */
  isNullable: boolean
  /** Of a field that names what the account has: it can be searched. */
  choice?: Choice
  default: unknown
}

export type Field = Common &
  /** `isLeftOut`: where it says what holds without it, it is not sent. */
  (
    | { kind: 'group'; fields: readonly Field[]; isLeftOut: boolean }
    | { kind: 'rows'; item: Field }
    | { kind: 'lines' }
    | { kind: 'json' }
    | { kind: 'switch' }
    | { kind: 'checkboxes'; options: readonly Option[]; isOfReferences: boolean }
    | { kind: 'select'; options: readonly Option[] }
    /** How often: frequency and offset in one. */
    | { kind: 'every'; options: readonly string[] }
    /** The same texts in each language; `offered`: those that visitors may choose and the texts themselves are not in. */
    | { kind: 'translations'; fields: readonly Field[]; langs: readonly string[]; offered: readonly Option[] }
    /** Alert channels, each of which is told or not. */
    | { kind: 'channels'; options: readonly Option[] }
    | { kind: 'number'; min: number | null; max: number | null; isWhole: boolean }
    | {
        kind: 'text'
        isLong: boolean
        isSecret: boolean
        /** A moment, which people choose instead of writing it. */
        isInstant: boolean
        mayBeEmpty: boolean
        longest: number | null
        example: string
      }
  )

/** What a field may name of what the account has: as much of it as is shown, and what was looked for. */
export type Choice = { name: string; options: readonly Option[]; hasMore: boolean; search: string }

/** By the field's name: groups, locations, channels. */
export type Choices = ReadonlyMap<string, Choice>

const typesOf = ({ type }: Schema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))

/** `anyOf` with null is the other one, which may be null. */
const merged = (schema: Schema): { schema: Schema; isNullable: boolean } => {
  const { anyOf, ...outer } = schema
  const others = anyOf?.filter((each) => each.type !== 'null')
  const isNullable =
    typesOf(schema).includes('null') ||
    (schema.enum?.includes(null) ?? false) ||
    (anyOf !== undefined && others?.length !== anyOf.length)
  const [only] = others ?? []
  return { schema: only !== undefined && others?.length === 1 ? { ...only, ...outer } : schema, isNullable }
}

export const fieldsOf = (schema: Schema, choices: Choices): Field[] => {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties ?? {})
    .filter(
      ([name, property]) =>
        property.deprecated !== true && property.const === undefined && !isLeftOut(name, schema),
    )
    .map(([name, property]) => fieldOf(name, property, { isRequired: required.has(name), choices }))
}

/** For programs that were told of an alert earlier: who looks at a page means the one that is open. */
const forPrograms: ReadonlySet<string> = new Set(['checkAlertId'])

/** A part of another one, or kept for programs and without effect: nobody has to be asked for it. */
const isLeftOut = (name: string, { properties = {} }: Schema): boolean =>
  forPrograms.has(name) ||
  (name === 'frequencyOffset' && properties['frequency']?.enum !== undefined) ||
  isOlderName(properties[name] ?? {}) ||
  /^(kept and shown, )?without effect$/i.test(properties[name]?.description ?? '')

/**
 * What people mean who add such a thing, whatever its default for programs is: a subscription that is not active tells nobody, and
 * neither does a channel that nothing is subscribed to.
 */
const presets: { readonly [name: string]: unknown } = {
  activated: true,
  autoSubscribe: true,
  locationAlerts: true,
  subscribeExistingChecks: true,
  frequency: 1,
}

/** What most choose, where nothing is the default. */
const likely: typeof presets = { method: 'GET', source: 'STATUS_CODE', comparison: 'EQUALS' }

/** Not every type may run as often. */
const presetOf = (preset: unknown, { enum: values }: Schema): unknown => {
  return values !== undefined && !values.includes(preset) ? undefined : preset
}

type FieldContext = { isRequired: boolean; choices: Choices }

const fieldOf = (name: string, own: Schema, { isRequired, choices }: FieldContext): Field => {
  const { schema, isNullable } = merged(own)
  const common: Common = {
    ...{ name, isRequired, isNullable },
    label: formLabel(name),
    help: isSilent(name) ? '' : helpOf(formLabel(name), own.description ?? schema.description ?? ''),
    default: presetOf(presets[name], schema) ?? own.default ?? presetOf(likely[name], schema),
  }
  const types = typesOf(schema)
  const known = choices.get(name)
  if (known !== undefined) common.choice = known
  if (name === 'frequency' && schema.enum !== undefined)
    return { ...common, help: '', kind: 'every', options: everyOptions(schema.enum) }
  if (schema.enum !== undefined) return { ...common, kind: 'select', options: valuesOf(name, schema.enum) }
  if (types.includes('array')) return listField(common, schema, choices)
  if (name === 'translations') return translationsField(common, schema, choices)
  if (schema.properties !== undefined) {
    const isLeftOut = !isRequired && !isNullable && common.default === undefined
    return { ...common, kind: 'group', fields: fieldsOf(schema, choices), isLeftOut }
  }
  if (types.includes('boolean'))
    return isNullable
      ? {
          ...common,
          kind: 'select',
          options: [
            { value: true, label: 'Yes', said: say('Yes') },
            { value: false, label: 'No', said: say('No') },
          ],
        }
      : { ...common, kind: 'switch' }
  if (known !== undefined && !types.includes('object'))
    return { ...common, kind: 'select', options: known.options }
  if (types.includes('number') || types.includes('integer')) return numberField(common, schema)
  if (types.includes('string')) return textField(common, schema)
  return { ...common, kind: 'json' }
}

/** What only says the label again helps nobody; names of fields are not what people know them by. */
const helpOf = (label: string, text: string): string => {
  const help = text
    .replace(/`(\w+)`/g, (_, name: string) => `“${formLabel(name)}”`)
    .replace(/^Null:/, 'Not set:')
  return help.toLowerCase().startsWith(label.toLowerCase()) && help.length < label.length + 20 ? '' : help
}

const valuesOf = (name: string, values: readonly unknown[]): Option[] =>
  values
    .filter((value) => value !== null)
    .map((value) => ({ value, label: optionLabel(name, value), said: sayOption(name, value) }))

const translationsField = (common: Common, { properties = {} }: Schema, choices: Choices): Field => {
  const [texts = {}] = Object.values(properties)
  return {
    ...common,
    help: '',
    kind: 'translations',
    fields: fieldsOf(texts, choices),
    langs: Object.keys(properties),
    offered: choices.get('translations')?.options ?? [],
  }
}

const reference = 'StatusPageServiceReference'

/** What is written, and may be one that is there already. */
const suggested: ReadonlySet<string> = new Set(['tags', 'silenceAlertsTags'])

const listField = (common: Common, { items = {} }: Schema, choices: Choices): Field => {
  const known = choices.get(common.name)
  const isWritten = suggested.has(common.name)
  const options =
    (isWritten ? undefined : known?.options) ??
    (items.enum === undefined ? undefined : valuesOf(common.name, items.enum))
  const isOfReferences = items.title === reference
  if (options !== undefined && (isOfReferences || items.properties === undefined))
    return { ...common, kind: 'checkboxes', options, isOfReferences }
  const channels = choices.get('alertChannelId')
  if (common.name === 'alertChannelSubscriptions' && channels !== undefined)
    return { ...common, kind: 'channels', options: channels.options, choice: channels }
  if (items.properties !== undefined)
    return { ...common, kind: 'rows', item: fieldOf(common.name, items, { isRequired: true, choices }) }
  const isOfTexts = typesOf(items).some((type) => ['string', 'integer', 'number'].includes(type))
  return { ...common, kind: isOfTexts ? 'lines' : 'json' }
}

const numberField = (common: Common, { minimum, maximum, type }: Schema): Field => ({
  ...common,
  kind: 'number',
  min: minimum ?? null,
  max: maximum ?? null,
  isWhole: typesOf({ type: type ?? [] }).includes('integer'),
})

const secretName = /(password|passphrase|secret|apikey|authtoken|privatekey|token)$/i
/** Longer texts get room for lines. */
const shortText = 600

const textField = (
  common: Common,
  { maxLength, minLength = 0, pattern, format, examples = [] }: Schema,
): Field => {
  const isSecret = secretName.test(common.name)
  const isInstant = format === 'date-time' || pattern?.startsWith('^\\d{4}-\\d{2}-\\d{2}') === true
  const isAddress = /url$|^hostname$|^property$|^regex$|^target$/i.test(common.name)
  return {
    ...common,
    kind: 'text',
    isLong: !isSecret && !isAddress && format === undefined && (maxLength ?? 0) > shortText,
    isSecret,
    isInstant,
    label: isInstant ? `${common.label} (UTC)` : common.label,
    mayBeEmpty: minLength === 0 && pattern === undefined && format === undefined,
    longest: maxLength ?? null,
    example: typeof examples[0] === 'string' ? examples[0] : '',
  }
}

/** What a list of that name offers, wherever it stands. */
export const optionsOf = (fields: readonly Field[], name: string): string[] =>
  fields.flatMap((field) => {
    if (field.kind === 'group') return optionsOf(field.fields, name)
    if (field.kind === 'rows') return optionsOf([field.item], name)
    const isList = field.kind === 'checkboxes' || field.kind === 'channels'
    return isList && field.name === name ? field.options.map(({ value }) => String(value)) : []
  })

/** The one shape of a body that depends on the value of one of its fields; that field, and its values, where none is chosen yet. */
type Variants = { by: string; values: readonly string[] }

export const variantsOf = (schema: Schema): Variants | null => {
  const conditions = schema.allOf?.map((each) => Object.entries(each.if?.properties ?? {})[0]) ?? []
  const by = conditions[0]?.[0]
  return by === undefined ? null : { by, values: conditions.map((pair) => String(pair?.[1].const)) }
}

export const variantOf = (schema: Schema, { by }: Variants, value: string): Schema => {
  const chosen = schema.allOf?.find((each) => each.if?.properties?.[by]?.const === value)
  const { [by]: _chosen, ...rest } = schema.properties ?? {}
  return { ...schema, properties: { ...rest, ...chosen?.then?.properties } }
}
