/**
 * Files to resources: YAML, JSON and TypeScript say the same. `${env.NAME}` is a value of the environment, `${file:path}`
 * (alone in its text) what a file beside holds, `${kind.key}` (alone) another resource; `$${` is the text `${`.
 */
import { dirname, extname, join } from 'node:path'
import { parseDocument } from 'yaml'
import { CommandError, type Io } from '../io.ts'
import { isObject, type Json, type KindName, kindNames, kinds } from '../kinds.ts'

export type Resource = {
  kind: KindName
  key: string
  /** As it is sent, but for its references. */
  body: Json
  /** As the file says it: what comes from the environment is not printed. */
  raw: Json
  file: string
}

export type Files = { project: string; resources: Resource[] }

const extensions = ['.yaml', '.yml', '.json', '.ts', '.mts', '.js', '.mjs']
const usual = ['watchpost.yaml', 'watchpost.yml', 'watchpost.ts', 'watchpost']
const keyPattern = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/

/** @throws CommandError naming every problem of all files */
export const readFiles = async (io: Io, given: readonly string[]): Promise<Files> => {
  const paths = await filesOf(io, given)
  const problems: string[] = []
  const resources: Resource[] = []
  const projects = new Set<string>()
  for (const path of paths) {
    const document = await readDocument(io, path, problems)
    if (document === null) continue
    const { project } = document
    if (typeof project === 'string' && keyPattern.test(project)) projects.add(project)
    else if (project !== undefined)
      problems.push(`${path}: "project" must be a name of letters, digits and . _ -`)
    resources.push(...(await resourcesOf(io, { path, document, problems })))
  }
  if (projects.size > 1) problems.push(`the files name several projects: ${[...projects].join(', ')}`)
  problems.push(...repeated(resources), ...danglingReferences(resources))
  if (problems.length > 0) throw new CommandError(problems)
  return { project: [...projects][0] ?? 'default', resources }
}

const filesOf = async (io: Io, given: readonly string[]): Promise<string[]> => {
  const named = given.map((path) => io.path(path))
  const places =
    given.length > 0
      ? named
      : await firstOf(
          io,
          usual.map((path) => io.path(path)),
        )
  const found: string[] = []
  for (const path of places) {
    const kind = await io.kindOf(path)
    if (kind === null) throw new CommandError([`${path} is not there`])
    if (kind === 'file') found.push(path)
    else
      for (const name of await io.list(path))
        if (extensions.includes(extname(name)) && !name.endsWith('.d.ts')) found.push(join(path, name))
  }
  if (found.length === 0)
    throw new CommandError([`no files: name some, or write ${usual.slice(0, 3).join(' or ')}`])
  return found
}

const firstOf = async (io: Io, paths: readonly string[]): Promise<string[]> => {
  for (const path of paths) if ((await io.kindOf(path)) !== null) return [path]
  return []
}

const readDocument = async (io: Io, path: string, problems: string[]): Promise<Json | null> => {
  const document = ['.yaml', '.yml', '.json'].includes(extname(path))
    ? fromYaml(await io.readText(path), path, problems)
    : await fromModule(io, path, problems)
  if (document === undefined || isObject(document)) return document ?? null
  problems.push(
    `${path}: must be sections with resources (${kindNames.map((name) => kinds[name].section).join(', ')})`,
  )
  return null
}

const fromYaml = (text: string, path: string, problems: string[]): unknown => {
  const document = parseDocument(text, { merge: true, prettyErrors: true })
  problems.push(...document.errors.map(({ message }) => `${path}: ${message.split('\n')[0]}`))
  return document.errors.length > 0 ? undefined : (document.toJS({ maxAliasCount: 10_000 }) ?? {})
}

const fromModule = async (io: Io, path: string, problems: string[]): Promise<unknown> => {
  try {
    return (await io.load(path)) ?? {}
  } catch (error) {
    problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

type Read = { path: string; document: Json; problems: string[] }

const resourcesOf = async (io: Io, { path, document, problems }: Read): Promise<Resource[]> => {
  const resources: Resource[] = []
  const { project: _, defaults, $schema: __, ...sections } = document
  for (const [section, content] of Object.entries(sections)) {
    const kind = kindNames.find((name) => kinds[name].section === section)
    // What other parts of the file take over by their anchors.
    if (section.startsWith('x-') || section.startsWith('.')) continue
    if (kind === undefined) problems.push(`${path}: there is no section "${section}"`)
    else if (content !== null && !isObject(content))
      problems.push(`${path}: "${section}" must have a resource under each key`)
    else
      for (const [key, raw] of Object.entries(content ?? {})) {
        const where = `${path}: ${section}.${key}`
        if (!keyPattern.test(key)) problems.push(`${where}: a key is letters, digits and . _ -`)
        else if (!isObject(raw)) problems.push(`${where}: must be fields and their values`)
        else {
          const whole = {
            ...sectionDefaults(defaults, section),
            ...(kind === 'variable' ? { key } : {}),
            ...raw,
          }
          const body = await filled(io, whole, { path, where, problems })
          resources.push({ kind, key, raw: whole, body: body as Json, file: path })
        }
      }
  }
  return resources
}

const sectionDefaults = (defaults: unknown, section: string): Json => {
  const found = isObject(defaults) ? defaults[section] : undefined
  return isObject(found) ? found : {}
}

type Where = { path: string; where: string; problems: string[] }

const filled = async (io: Io, value: unknown, at: Where): Promise<unknown> => {
  if (typeof value === 'string') return filledText(io, value, at)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return Promise.all(value.map((item) => filled(io, item, at)))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(
    async ([name, item]) => [name, await filled(io, item, at)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

const filledText = async (io: Io, text: string, { path, where, problems }: Where): Promise<string> => {
  const [, name] = /^\$\{file:([^}]+)\}$/.exec(text) ?? []
  if (name !== undefined) {
    const file = join(dirname(path), name)
    if ((await io.kindOf(file)) === 'file') return io.readText(file)
    problems.push(`${where}: ${file} is not there`)
    return ''
  }
  return text.replace(/\$\$\{|\$\{env\.(\w+)\}/g, (whole, variable?: string) => {
    if (variable === undefined) return whole === '$${' ? '${' : whole
    const value = io.env[variable]
    if (value === undefined) problems.push(`${where}: ${variable} is not in the environment`)
    return value ?? ''
  })
}

const repeated = (resources: readonly Resource[]): string[] => {
  const seen = new Map<string, string>()
  return resources.flatMap(({ kind, key, file }) => {
    const name = `${kind}.${key}`
    const before = seen.get(name)
    seen.set(name, file)
    return before === undefined ? [] : [`${file}: ${kinds[kind].section}.${key} is in ${before}, too`]
  })
}

/** `${check.home}`: nothing else is in the text. */
export const referenceIn = (value: unknown): { kind: KindName; key: string } | null => {
  if (typeof value !== 'string') return null
  const [, kind = '', key = ''] = /^\$\{(\w+)\.([\w.-]+)\}$/.exec(value) ?? []
  return kindNames.includes(kind as KindName) ? { kind: kind as KindName, key } : null
}

export const referencesOf = (value: unknown): { kind: KindName; key: string }[] => {
  if (Array.isArray(value)) return value.flatMap(referencesOf)
  if (isObject(value)) return Object.values(value).flatMap(referencesOf)
  const found = referenceIn(value)
  return found === null ? [] : [found]
}

const danglingReferences = (resources: readonly Resource[]): string[] => {
  const names = new Set(resources.map(({ kind, key }) => `${kind}.${key}`))
  return resources.flatMap(({ kind, key, body, file }) =>
    referencesOf(body)
      .filter((reference) => !names.has(`${reference.kind}.${reference.key}`))
      .map(
        (reference) =>
          `${file}: ${kinds[kind].section}.${key}: there is no ${reference.kind} with the key ${reference.key}`,
      ),
  )
}
