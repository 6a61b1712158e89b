/** What is there as a file: keys made of names, ids become references, and what the API hides a value of the environment. */
import { stringify } from 'yaml'
import { type Client, createClient } from '../client.ts'
import { type Command, exitCodes, type Io, type Options } from '../io.ts'
import { isObject, type Json, type KindName, kindNames, kinds, nameOf } from '../kinds.ts'
import { readSchemas, type ServerSchemas } from '../plan/server-schemas.ts'
import { readShown } from '../plan/server-state.ts'

export const exportFiles: Command = {
  name: 'export',
  takes: '',
  summary: 'all that is there as YAML, to be taken over with apply --adopt',
  options: {
    out: { value: 'file', meaning: 'write it there' },
    project: { value: 'name', meaning: 'the project that the file is of' },
  },
  run: async (io, { values }: Options) => {
    const client = createClient(io)
    const schemas = await readSchemas(client)
    await put(
      io,
      values['out'],
      await exportShown(io, client, { schemas, project: values['project'] ?? 'default' }),
    )
    return exitCodes.done
  },
}

export const put = async (io: Io, file: string | undefined, text: string): Promise<void> => {
  if (file === undefined) io.say(text.trimEnd())
  else {
    await io.writeText(io.path(file), text)
    io.progress(`written to ${file}`)
  }
}

export const exportShown = async (io: Io, client: Client, of: Of): Promise<string> =>
  exportText(await withFiles(client, await readShown(io, client, kindNames)), of)

type Shown = ReadonlyMap<KindName, ReadonlyMap<string, Json>>

/** Lists leave out the files of scripts. */
const withFiles = async (client: Pick<Client, 'get'>, shown: Shown): Promise<Shown> => {
  const checks = new Map<string, Json>()
  for (const [id, check] of shown.get('check') ?? [])
    checks.set(
      id,
      'script' in check || check['checkType'] === 'PLAYWRIGHT'
        ? (await client.get(`/v1/checks/${id}?includeDependencies=true`)).body
        : check,
    )
  return new Map([...shown, ['check', checks]])
}

type Of = { schemas: ServerSchemas; project: string }

const exportText = (shown: Shown, { schemas, project }: Of): string => {
  const keys = keysOf(shown)
  const document: Json = { project }
  const secrets: string[] = []
  for (const kind of kindNames) {
    const all = [...(shown.get(kind) ?? [])]
    if (all.length === 0) continue
    const section = all.map(([id, one]) => {
      const key = keys.get(`${kind} ${id}`) ?? id
      const body = referring(bodyOf(kind, one, schemas), keys)
      return [key, hiding(body, `${kind}_${key}`, secrets)] as const
    })
    document[kinds[kind].section] = Object.fromEntries(section)
  }
  const head =
    secrets.length === 0
      ? ''
      : `# Values that are not shown come from the environment:\n${secrets.map((name) => `#   ${name}\n`).join('')}`
  return `${head}${stringify(document, { lineWidth: 0 })}`
}

/** Of names, each once within its kind. */
const keysOf = (shown: Shown): Map<string, string> => {
  const keys = new Map<string, string>()
  for (const kind of kindNames) {
    const taken = new Set<string>()
    for (const [id, one] of shown.get(kind) ?? []) {
      const name = kind === 'location' ? String(one['slugName']) : nameOf(kind, one)
      keys.set(`${kind} ${id}`, freeKey(name, taken))
    }
  }
  return keys
}

export const freeKey = (name: string, taken: Set<string>): string => {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9_]+|[^A-Za-z0-9_]+$/g, '')
  const stem = plain.slice(0, 60).replace(/[^A-Za-z0-9_]+$/, '') || 'unnamed'
  let key = stem
  for (let count = 2; taken.has(key.toLowerCase()); count += 1) key = `${stem}-${count}`
  taken.add(key.toLowerCase())
  return key
}

/** What may be said of a new one and is not its default. */
const bodyOf = (kind: KindName, shown: Json, { components, checkTypes }: ServerSchemas): Json => {
  const title = kind === 'check' ? checkTypes.get(String(shown['checkType'])) : kinds[kind].schema
  const { properties = {}, required = [] } = (components[title ?? ''] ?? {}) as {
    properties?: Record<string, { default?: unknown; description?: string }>
    required?: string[]
  }
  const fields = Object.entries(properties).flatMap(([name, { default: usual, description = '' }]) => {
    // It says the same again.
    if (/^(Older|Another) name of /.test(description)) return []
    const value = shown[name]
    const isUsual = !required.includes(name) && JSON.stringify(value) === JSON.stringify(usual)
    return value === undefined || value === null || isUsual ? [] : [[name, value] as const]
  })
  // Whoever is subscribed is said by the checks and groups.
  const { subscriptions: _, id: __, ...body } = Object.fromEntries(fields)
  return kind === 'check' ? { checkType: shown['checkType'], ...body } : body
}

const fieldsOf: Readonly<Record<string, KindName>> = {
  checkId: 'check',
  groupId: 'group',
  alertChannelId: 'channel',
  fallbackChannelId: 'channel',
  setupSnippetId: 'snippet',
  tearDownSnippetId: 'snippet',
  serviceId: 'service',
  serviceIds: 'service',
  statusPageIds: 'statusPage',
}

const referring = (value: unknown, keys: ReadonlyMap<string, string>, kind?: KindName): unknown => {
  if (Array.isArray(value)) return value.map((item) => referring(item, keys, kind))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !['statusPageId', 'created_at', 'updated_at', 'accountId'].includes(name))
        .map(([name, item]) => [
          name,
          name === 'services' ? servicesOf(item, keys) : referring(item, keys, fieldsOf[name]),
        ]),
    )
  const key = kind === undefined ? undefined : keys.get(`${kind} ${value}`)
  return key === undefined ? value : `\${${kind}.${key}}`
}

const servicesOf = (services: unknown, keys: ReadonlyMap<string, string>): unknown =>
  Array.isArray(services)
    ? services.map((service) => ({ id: referring((service as Json)['id'], keys, 'service') }))
    : services

/** Masks and empty secrets; and what would be read as a reference is no longer one. */
const hiding = (value: unknown, name: string, secrets: string[]): unknown => {
  const secret = () => {
    const variable = name.replace(/\W+/g, '_').toUpperCase()
    secrets.push(variable)
    return `\${env.${variable}}`
  }
  if (Array.isArray(value)) return value.map((item, at) => hiding(item, `${name}_${at}`, secrets))
  if (isObject(value)) {
    const isSecret = value['secret'] === true && (value['value'] === '' || value['value'] == null)
    const inner = Object.entries(value).map(([field, item]) => [
      field,
      hiding(item, `${name}_${field}`, secrets),
    ])
    return { ...Object.fromEntries(inner), ...(isSecret ? { value: secret() } : {}) }
  }
  if (typeof value !== 'string') return value
  if (value.includes('***')) return secret()
  return /^\$\{\w+\.[\w.-]+\}$/.test(value) ? value : value.replaceAll('${', '$${')
}
