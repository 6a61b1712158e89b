import { endOf } from '../platform/retention/retention-tick.ts'
import { retentionOf, variableOf } from '../platform/retention/settings.ts'
import { spaceOf } from '../platform/store/database/space.ts'
import { toIso } from '../platform/words/shapes/instants.ts'
import { retentionKinds } from '../retention.ts'
import { retentionSettings } from '../retention-settings.ts'
import type { WholeApp } from '../whole-app.ts'
import type { Command, Context } from './command.ts'
import { type TableSize, tableSizes } from './table-sizes.ts'

const dayMs = 86_400_000
const countedUpTo = 10_000

export const store: Command = {
  name: 'store',
  summary: 'what takes how much of the store, and what retention removes next',
  description: [
    'Sizes are with indexes. A SQLite file is read once for them, some seconds a gigabyte; rows of PostgreSQL are those of its',
    'statistics. Nothing is changed, and the control plane may run. docs/retention.md explains the kinds and their settings.',
  ].join('\n'),
  positionals: [],
  options: {},
  run: async (context) => {
    const app = await context.open()
    const growing = retentionKinds.filter(({ makesRoom }) => makesRoom).map(({ table }) => table)
    const space = await spaceOf(app.db, growing)
    const sizes = await tableSizes(app.db, (table) => context.progress(`Counting ${table} …`))
    const tables = joined(sizes.filter(({ rows }) => rows > 0))
    const kinds = await kindsOf(app, context)
    const { storeMaxBytes } = context.config
    return {
      lines: [
        `Used ${megabytes(space.usedBytes)}, free for new rows ${megabytes(space.freeBytes)}, STORE_MAX_GB ${storeMaxBytes === null ? 'not set' : megabytes(storeMaxBytes)}`,
        '',
        ...tables.map(({ name, tables: parts, rows, bytes }) =>
          columns(name, `${rows} rows${parts > 1 ? ` in ${parts} tables` : ''}`, megabytes(bytes)),
        ),
        '',
        'Retention:',
        ...kinds.map(({ name, setting, days, oldestAt, next }) =>
          columns(
            name,
            setting === null ? 'when its owner is gone' : `${setting}=${days}`,
            `oldest ${oldestAt ?? 'not told'}`,
            `next turn ${next > countedUpTo ? `more than ${countedUpTo}` : next}`,
          ),
        ),
      ],
      json: { ...space, maxBytes: storeMaxBytes, tables, kinds },
    }
  },
}

/** Each period of results has tables of its own: a line for all of a kind, where the largest would stand by itself. */
const joined = (tables: readonly TableSize[]): (TableSize & { tables: number })[] =>
  [...Map.groupBy(tables, ({ name }) => /^(result_[a-z]+)_(\d+|retained)$/.exec(name)?.[1] ?? name)]
    .map(([name, parts]) => ({
      name,
      tables: parts.length,
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    }))
    .sort((a, b) => b.bytes - a.bytes)

const kindsOf = async (app: WholeApp, { now: clock, progress }: Context) => {
  const now = clock()
  const kinds = []
  for (const kind of retentionKinds) {
    progress(`Counting what is over: ${kind.name} …`)
    const { name, setting } = kind
    const oldestAt = await kind.oldestAt(app.db)
    kinds.push({
      name,
      setting:
        setting === null ? null : variableOf(retentionSettings[setting as keyof typeof retentionSettings]),
      days: setting === null ? null : retentionOf(app, setting) / dayMs,
      oldestAt: oldestAt === null ? null : toIso(oldestAt),
      next: await kind.count(app.db, { before: endOf(app, kind, now), limit: countedUpTo + 1 }),
    })
  }
  return kinds
}

const columns = (first: string, ...others: string[]): string =>
  `  ${first.padEnd(28)}${others.map((text) => text.padEnd(34)).join('')}`.trimEnd()

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`
