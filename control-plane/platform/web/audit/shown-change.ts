/** What an audit entry keeps of a document before and after: the fields that changed, none endless, and no secret. Pure. */
import { Type } from 'typebox'
import { storedDoc } from '../../store/database/stored-doc.ts'

/** The fields of a document that an audit entry keeps. No resource has a field named `v`: it says the version of what is stored. */
const AuditFields = Type.Record(Type.String(), Type.Unknown())
type AuditFields = { [name: string]: unknown }

export const auditFields = storedDoc<typeof AuditFields, AuditFields>({
  name: 'fields of an audit entry',
  schema: AuditFields,
})

const longestField = 4000
const maxFields = 100
/** Answers show secrets once, when they are made; documents as readers see them have none. */
const secretName = /^(raw\w*|\w*token|\w*secret|password|passwd|key|keys|value|privatekey|pingurl|url)$/i

const isFields = (value: unknown): value is AuditFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isChanged = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b)

const bounded = (value: unknown): unknown => {
  const { length } = JSON.stringify(value) ?? ''
  return length > longestField ? `(${length} characters)` : value
}

const textOf = (fields: AuditFields | null): string | null =>
  fields === null
    ? null
    : auditFields.write(
        Object.fromEntries(
          Object.entries(fields)
            .slice(0, maxFields)
            .map(([name, value]) => [name.slice(0, 200), bounded(value)]),
        ),
      )

type Documents = { before: unknown; after: unknown }

export const shownChange = ({
  before,
  after,
}: Documents): { before: string | null; after: string | null } => {
  const [old, now] = [before, after].map((document) => (isFields(document) ? document : null))
  if (!old || !now) return { before: textOf(old ?? null), after: textOf(now ?? null) }
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) =>
    isChanged(old[name], now[name]),
  )
  const only = (fields: AuditFields): AuditFields =>
    Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))
  return { before: textOf(only(old)), after: textOf(only(now)) }
}

/** What people know a thing by; of what has no name, the field that tells it from others of its kind. */
const nameFields = [
  'name',
  'key',
  'host',
  'email',
  'address',
  'serviceName',
  'number',
  'channel',
  'cleanedErrorMessage',
]
const longestName = 200

/** As readers see it, so it holds no secret. */
export const nameIn = (document: unknown): string | null => {
  if (!isFields(document)) return null
  const name = nameFields.map((field) => document[field]).find((value) => typeof value === 'string')
  if (typeof name === 'string' && name !== '') return name.slice(0, longestName)
  return 'config' in document ? nameIn(document['config']) : null
}

/** Of an answer that nobody else can read again: whatever could be a secret is not kept. */
export const withoutSecretFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, maxFields).map(withoutSecretFields)
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secretName.test(name) ? '***' : withoutSecretFields(field),
    ]),
  )
}
