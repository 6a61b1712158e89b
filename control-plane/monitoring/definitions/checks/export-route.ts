/** The checks as a file: a table of them, or the bodies that make them again. Read page by page while it is sent. */
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type CheckType, checkTypes } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { csvLine } from '../../../platform/web/http/answers/csv-line.ts'
import { sentAsIs } from '../../../platform/web/http/answers/serialize.ts'
import { yamlItem } from '../../../platform/web/http/answers/yaml-item.ts'
import { type AccountPrincipal, reply, route } from '../../../platform/web/http/route.ts'
import { presentName } from '../../../platform/words/shapes/ignored-names.ts'
import { toIso } from '../../../platform/words/shapes/instants.ts'
import { checkDoc } from './check-doc.ts'
import { targetOfCheck } from './check-target.ts'
import type { CheckFilter } from './filtered-checks.ts'
import { type OrderCursor, type OrderedCheck, orderedChecks } from './list-queries.ts'
import { readCheck } from './read-check.ts'
import { type Check, checkSchemas } from './schema.ts'

const perPage = 100

const columns = [
  ...['id', 'name', 'type', 'state', 'isMuted', 'tags', 'groupId', 'frequency', 'target', 'lastRunAt'],
]

type Source = { app: App & HasCipher; principal: AccountPrincipal }
type Format = {
  type: string
  head: string
  /** Empty: it is gone meanwhile. */
  item: (source: Source, check: OrderedCheck) => Promise<string> | string
  between: string
  tail: string
}

/** What can be said of a new check, as this one has it. Its id, times and results stay behind. */
export const bodyOfCheck = (
  check: Check,
): { checkType: CheckType; name: string } & Record<string, unknown> => {
  const schema = checkSchemas[check.checkType].New
  const fields = Type.IsObject(schema) ? Object.entries(schema.properties) : []
  const known = fields.filter(([, field]) => presentName(field) === undefined).map(([name]) => name)
  const same = Object.fromEntries(
    Object.entries(check).filter(([name, value]) => known.includes(name) && value !== undefined),
  )
  return { checkType: check.checkType, ...same, name: check.name }
}

const bodyIn = async ({ app, principal }: Source, { id }: OrderedCheck) => {
  const read = await readCheck(app, id, { principal, includeFiles: true })
  return read === undefined ? null : bodyOfCheck(read.check)
}

const formats: { readonly [F in 'csv' | 'json' | 'yaml']: Format } = {
  csv: {
    ...{ type: 'text/csv', head: csvLine(columns), between: '', tail: '' },
    item: (_, check) => csvLine(cellsOf(check)),
  },
  json: {
    ...{ type: 'application/json', head: '[\n', between: ',\n', tail: '\n]\n' },
    item: async (source, check) => {
      const body = await bodyIn(source, check)
      return body === null ? '' : JSON.stringify(body, null, 2)
    },
  },
  yaml: {
    ...{ type: 'application/yaml', head: '# Each is a body of POST /v1/checks.\n', between: '', tail: '' },
    item: async (source, check) => {
      const body = await bodyIn(source, check)
      return body === null ? '' : yamlItem(body)
    },
  },
}

const cellsOf = (check: OrderedCheck): readonly unknown[] => {
  const { muted, tags, frequency, request } = checkDoc.read(check.doc) as {
    muted?: boolean
    tags?: string[]
    frequency?: number
    request?: object
  }
  const state = check.activated ? (check.state ?? 'waiting') : 'paused'
  return [
    ...[check.id, check.name, check.type, state, muted === true, tags ?? [], check.group_id, frequency],
    ...[targetOfCheck(check.type, request), check.last_started_at && toIso(check.last_started_at)],
  ]
}

export const exportChecks = route({
  method: 'GET',
  path: '/v1/exports/checks',
  access: 'READ_ONLY',
  tag: 'Checks',
  summary: 'Checks as a file, oldest first',
  description:
    'csv: a table with states. json and yaml: a list of bodies, each of which makes its check again (`POST /v1/checks`), with the files of scripts; values that are locked are there for those who may see them. All that the filters find, sent while it is read.',
  query: Type.Object(
    {
      format: Type.Enum(['csv', 'json', 'yaml'], { default: 'json' }),
      checkType: Type.Optional(Type.Enum([...checkTypes])),
      tag: Type.Optional(
        Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100, description: 'Any of them' }),
      ),
      search: Type.Optional(Type.String({ maxLength: 255 })),
      status: Type.Optional(Type.Enum(['passing', 'failing', 'degraded', 'unknown', 'stale', 'waiting'])),
      activated: Type.Optional(Type.Boolean()),
      groupId: Type.Optional(Type.Integer({ minimum: 0, description: '0: those that are in no group' })),
      flapping: Type.Optional(Type.Boolean({ description: 'true: only those that flap' })),
      untold: Type.Optional(Type.Boolean({ description: 'true: those of which no channel tells' })),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: sentAsIs(Type.String()),
  responseType: 'text/csv',
  otherTypes: { success: ['application/json', 'application/yaml'] },
  rateLimit: { requests: 10, seconds: 60 },
  example: { query: { format: 'yaml', tag: ['shop'] } },
  handle: async ({ query, principal, signal }, app: App & HasCipher) => {
    const { format: name, tag, groupId, untold, ...filters } = query
    const filter = {
      ...{ accountId: principal.accountId, ...filters, tags: tag },
      groupId: groupId === 0 ? null : groupId,
      isUntold: untold,
    }
    const format = formats[name]
    return reply(Readable.from(pieces({ app, principal }, { filter, format, signal })), {
      headers: {
        'content-type': `${format.type}; charset=utf-8`,
        'content-disposition': `attachment; filename="checks.${name}"`,
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

type Asked = { filter: CheckFilter; format: Format; signal: AbortSignal }

async function* pieces(source: Source, { filter, format, signal }: Asked): AsyncGenerator<string> {
  yield format.head
  let after: OrderCursor | undefined
  let isFirst = true
  for (;;) {
    // Ages stay as they are while the file is sent.
    const rows = await orderedChecks(source.app.db, filter, { order: 'created', after, limit: perPage })
    for (const row of rows) {
      const item = await format.item(source, row)
      if (item !== '') yield `${isFirst ? '' : format.between}${item}`
      if (item !== '') isFirst = false
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < perPage || signal.aborted) break
    after = { key: last.key, createdAt: last.created_at, id: last.id }
  }
  yield format.tail
}
