/** What files may say, for editors: made of the schemas that the control plane itself goes by. */
import { createClient } from '../client.ts'
import { type Command, exitCodes } from '../io.ts'
import { isObject, type Json, kindNames, kinds } from '../kinds.ts'
import { typesOfSchema } from '../plan/schema-types.ts'
import { readSchemas, type ServerSchemas } from '../plan/server-schemas.ts'

export const schema: Command = {
  name: 'schema',
  takes: '',
  summary: 'the JSON Schema of the files, for editors; with --types the same as TypeScript',
  options: { types: { meaning: 'declarations for files in TypeScript: `satisfies Watchpost`' } },
  run: async (io, { switches }) => {
    const client = createClient({ ...io, env: { WATCHPOST_API_KEY: 'none', ...io.env } })
    const whole = fileSchema(await readSchemas(client))
    io.say(switches.has('types') ? typesOfSchema(whole) : JSON.stringify(whole, null, 2))
    return exitCodes.done
  },
}

const reference = {
  type: 'string',
  pattern: '^\\$\\{',
  description: 'A reference or a value of the environment',
}

export const fileSchema = ({ components, checkTypes }: ServerSchemas): Json => {
  const sections = kindNames.map((kind) => {
    const { section, schema: title } = kinds[kind]
    const one = kind === 'check' ? { $ref: '#/$defs/AnyCheck' } : { $ref: `#/$defs/${title}` }
    return [section, { type: 'object', additionalProperties: one }] as const
  })
  const checks = [...checkTypes].map(
    ([type, title]) => [title, withType(components[title] ?? {}, type)] as const,
  )
  const { NewVariable = {} } = components
  const all: Record<string, Json> = {
    ...components,
    ...Object.fromEntries(checks),
    NewVariable: withoutNeed(NewVariable, 'key'),
  }
  const needed = reachable(all, [
    ...checks.map(([title]) => title),
    ...kindNames.map((kind) => kinds[kind].schema),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Watchpost',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      project: { type: 'string' },
      defaults: {
        type: 'object',
        description: 'Of every resource of a section that does not say otherwise',
        properties: Object.fromEntries(sections.map(([section]) => [section, { type: 'object' }])),
        additionalProperties: false,
      },
      ...Object.fromEntries(sections),
    },
    patternProperties: { '^(x-|\\.)': {} },
    additionalProperties: false,
    $defs: {
      ...Object.fromEntries([...needed].map((title) => [title, loosened(all[title])])),
      AnyCheck: anyCheck(checkTypes),
    },
  }
}

/** By its type, so that an editor names the mistake of that type and not of all. */
const anyCheck = (checkTypes: ReadonlyMap<string, string>): Json => ({
  type: 'object',
  required: ['checkType'],
  properties: { checkType: { enum: [...checkTypes.keys()] } },
  allOf: [...checkTypes].map(([type, title]) => ({
    if: { properties: { checkType: { const: type } }, required: ['checkType'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema has it
    then: { $ref: `#/$defs/${title}` },
  })),
})

const withType = (schema: Json, type: string): Json => ({
  ...schema,
  required: ['checkType', ...((schema['required'] as string[] | undefined) ?? [])],
  properties: { checkType: { const: type }, ...(schema['properties'] as Json) },
})

const withoutNeed = (schema: Json, name: string): Json => ({
  ...schema,
  required: ((schema['required'] as string[] | undefined) ?? []).filter((one) => one !== name),
})

const reachable = (all: Readonly<Record<string, Json>>, from: readonly string[]): Set<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isObject(value)) for (const inner of Object.values(value)) visit(inner)
    const title = isObject(value) ? nameIn(value) : null
    if (title !== null) reach(title)
  }
  const reach = (title: string): void => {
    if (found.has(title) || all[title] === undefined) return
    found.add(title)
    visit(all[title])
  }
  for (const title of from) reach(title)
  return found
}

const nameIn = ({ $ref }: Json): string | null =>
  typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null

/** A reference may stand wherever a number, a switch, an id or one of several words does. */
const loosened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(loosened)
  if (!isObject(value)) return value
  const title = nameIn(value)
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === 'enum' || name === 'default' ? item : loosened(item),
    ]),
  )
  if (title !== null) return { ...inner, $ref: `#/$defs/${title}` }
  const types = [value['type']].flat()
  const isStrict =
    types.some((type) => ['integer', 'number', 'boolean'].includes(String(type))) ||
    value['format'] === 'uuid' ||
    (typeof value['pattern'] === 'string' && types.includes('string'))
  return isStrict ? { anyOf: [inner, reference] } : inner
}
