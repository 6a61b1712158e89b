/** The list of checks as a file: the same filters, read page by page while it is sent, so that it takes no more memory than a page. */
import { Readable } from 'node:stream'
import type { OrderCursor } from '../../monitoring/definitions/checks/list-queries.ts'
import type { Bytes } from '../../platform/web/http/answers/serialize.ts'
import { type Reply, reply } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { filterOf, perPage } from './check-filter.ts'
import { type Row, readRows } from './check-rows.ts'
import { csvLine } from './csv.ts'
import type { RequestContext } from './request-context.ts'

const columns = [
  'id',
  'name',
  'type',
  'state',
  'isMuted',
  'tags',
  'groupId',
  'frequency',
  'target',
  'lastRunAt',
] as const
type Shown = { [C in (typeof columns)[number]]: unknown }

const shownOf = (row: Row): Shown => ({
  ...row,
  lastRunAt: row.lastRunAt === null ? null : new Date(row.lastRunAt).toISOString(),
})

/** Of JSON's texts and numbers YAML says the same. */
const yamlItem = (row: Shown): string =>
  columns
    .map((name, position) => `${position === 0 ? '- ' : '  '}${name}: ${JSON.stringify(row[name])}\n`)
    .join('')

type Format = { type: string; head: string; item: (row: Shown, isFirst: boolean) => string; tail: string }

const jsonItem = (row: Shown): string =>
  JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name]])))

const formats: { readonly [name: string]: Format } = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: `${columns.join(',')}\r\n`,
    item: (row) => csvLine(columns.map((name) => row[name])),
    tail: '',
  },
  json: {
    type: 'application/json; charset=utf-8',
    head: '[',
    item: (row, isFirst) => `${isFirst ? '\n' : ',\n'}${jsonItem(row)}`,
    tail: '\n]\n',
  },
  yaml: { type: 'application/yaml; charset=utf-8', head: '# Checks\n', item: yamlItem, tail: '' },
}

export const exportChecks = async (context: RequestContext): Promise<Reply<Bytes>> => {
  const name = context.params['format'] ?? ''
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (format === undefined) throw notFound()
  return reply(Readable.from(linesOf(context, format)), {
    headers: {
      'content-type': format.type,
      'content-disposition': `attachment; filename="checks.${name}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

async function* linesOf(context: RequestContext, { head, item, tail }: Format): AsyncGenerator<string> {
  yield head
  let after: OrderCursor | undefined
  // Ages stay as they are while the file is sent.
  const sort = { by: 'created', isReversed: false } as const
  for (;;) {
    const rows = await readRows(context, filterOf(context), { sort, after, limit: perPage })
    const isFirst = after === undefined
    yield rows.map((row, position) => item(shownOf(row), isFirst && position === 0)).join('')
    after = rows.at(-1)?.cursor
    if (rows.length < perPage || context.input.signal.aborted) break
  }
  yield tail
}
