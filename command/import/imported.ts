/** What an import has found, and line by line what could not be carried over and why. */
import { stringify } from 'yaml'
import { freeKey } from '../commands/export.ts'
import { type Json, type KindName, kindNames, kinds } from '../kinds.ts'

export type Imported = {
  /** Gives the key that it got. */
  add(kind: KindName, name: string, body: Json): string
  /** `subject`: what it was called there. */
  note(subject: string, problem: string): void
  /** A value that does not belong into a file: as a reference to the environment. */
  secret(name: string): string
  notes: readonly string[]
  text(project: string): string
  counts(): Partial<Record<KindName, number>>
}

export const createImported = (source: string): Imported => {
  const sections = new Map<KindName, Map<string, Json>>()
  const taken = new Map<KindName, Set<string>>()
  const notes: string[] = []
  const secrets = new Set<string>()
  return {
    add: (kind, name, body) => {
      const names = taken.get(kind) ?? new Set()
      taken.set(kind, names)
      const key = freeKey(name, names)
      const section = sections.get(kind) ?? new Map()
      sections.set(kind, section.set(key, escaped(body) as Json))
      return key
    },
    note: (subject, problem) => {
      notes.push(`${subject}: ${problem}`)
    },
    secret: (name) => {
      const variable = name.replace(/\W+/g, '_').toUpperCase()
      secrets.add(variable)
      return `\u0000{env.${variable}}`
    },
    notes,
    text: (project) => textOf({ source, project, sections, notes, secrets }),
    counts: () => Object.fromEntries([...sections].map(([kind, { size }]) => [kind, size])),
  }
}

/** Texts of others may look like references; ours are told apart until here. */
const escaped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, escaped(item)]))
  return typeof value === 'string' ? value.replaceAll('${', '$${').replaceAll('\u0000{', '${') : value
}

export const reference = (kind: KindName, key: string): string => `\u0000{${kind}.${key}}`

type Found = {
  source: string
  project: string
  sections: ReadonlyMap<KindName, ReadonlyMap<string, Json>>
  notes: readonly string[]
  secrets: ReadonlySet<string>
}

const textOf = ({ source, project, sections, notes, secrets }: Found): string => {
  const document: Json = { project }
  for (const kind of kindNames) {
    const section = sections.get(kind)
    if (section !== undefined) document[kinds[kind].section] = Object.fromEntries(section)
  }
  const head = [
    `Imported from ${source}.`,
    ...(secrets.size > 0
      ? ['Secrets come from the environment:', ...[...secrets].map((name) => `  ${name}`)]
      : []),
    ...(notes.length > 0 ? ['Not carried over as it was:', ...notes.map((note) => `  ${note}`)] : []),
  ]
  const comment = head.map((line) => `# ${line.replace(/\s*\n\s*/g, ' ')}\n`).join('')
  return `${comment}\n${stringify(document, { lineWidth: 0 })}`
}

const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]

/** The next shorter period that there is. */
export const scheduleOf = (seconds: number): { schedule: Json; seconds: number } => {
  if (seconds < 60) {
    const offset = [30, 20, 10].find((one) => one <= seconds) ?? 10
    return { schedule: { frequency: 0, frequencyOffset: offset }, seconds: offset }
  }
  const frequency = minutes.findLast((one) => one * 60 <= seconds) ?? 1
  return { schedule: { frequency }, seconds: frequency * 60 }
}

/** With a note where it runs at another period than it did. */
export const scheduled = (imported: Imported, subject: string, wanted: number): Json => {
  const { schedule, seconds } = scheduleOf(wanted)
  if (seconds !== wanted) imported.note(subject, `runs every ${seconds} s instead of every ${wanted} s`)
  return schedule
}

export const assertion = (
  source: string,
  comparison: string,
  target: string | number,
  property = '',
): Json => ({
  source,
  ...(property === '' ? {} : { property }),
  comparison,
  target: String(target),
})

/** Of `200-299`, one or several that follow each other. null: they leave something out in between. */
export const statusAssertions = (ranges: readonly string[]): Json[] | null => {
  const spans = ranges
    .map((range) => range.split('-').map(Number))
    .map(([from = 0, to = from]) => ({ from, to }))
    .toSorted((a, b) => a.from - b.from)
  const [first] = spans
  if (first === undefined) return []
  let end = first.to
  for (const { from, to } of spans.slice(1)) {
    if (from > end + 1) return null
    end = Math.max(end, to)
  }
  if (first.from === end) return [assertion('STATUS_CODE', 'EQUALS', end)]
  return [
    assertion('STATUS_CODE', 'GREATER_THAN', first.from - 1),
    assertion('STATUS_CODE', 'LESS_THAN', end + 1),
  ]
}

/** A check of a page where that is enough, and of an API where more is asked. */
export const httpCheck = (
  common: Json,
  request: {
    url: string
    method?: string
    skipSSL?: boolean
    followRedirects?: boolean
    assertions: Json[]
  } & Json,
): Json => {
  const { method = 'GET', ...rest } = request
  const isPlain =
    method === 'GET' &&
    request.assertions.every(({ source }) => source === 'STATUS_CODE') &&
    !['body', 'headers', 'basicAuth'].some((name) => rest[name] !== undefined)
  return isPlain
    ? { checkType: 'URL', ...common, request: rest }
    : { checkType: 'API', ...common, request: { method, ...rest } }
}
