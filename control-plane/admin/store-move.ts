import { existsSync } from 'node:fs'
import type { Database } from '../platform/store/database/db.ts'
import { migrate } from '../platform/store/database/migrate.ts'
import { sqliteFile } from '../platform/store/database/open.ts'
import { unusableStoreError } from '../platform/store/database/unusable-store-error.ts'
import {
  type Arguments,
  type Command,
  type Context,
  type Outcome,
  RefusedError,
  UsageError,
} from './command.ts'
import { encryptedColumns } from './encrypted-columns.ts'
import { requireReadable } from './encryption-key-rotate.ts'
import { required } from './given.ts'
import { survey } from './reseal.ts'
import { MovedElsewhere } from './store-move/move-record.ts'
import { type MovedStore, type MoveProgress, MoveRefused, moveStore } from './store-move/move-store.ts'
import { openForMove, refuseOthers, StoreInUse } from './store-move/open-alone.ts'

export const storeMove: Command = {
  name: 'store move',
  summary: 'copy the whole store into an empty one of another engine',
  description: [
    'Stop the control plane first, and keep it stopped: this has the store for itself. DATABASE_URL names the store that is',
    'copied and not changed, but for being brought to the schema of this version. An interrupted copy goes on when the same',
    'command is run again; until it has ended no control plane starts on the new store. In the end every row of both is',
    'read and compared. Secrets stay sealed: the new store needs the same encryption keys. Artifacts stay where they are.',
    'Afterwards set DATABASE_URL to the new store, and never start on the old one again. docs/scaling.md says more.',
  ].join('\n'),
  positionals: [],
  options: {
    to: {
      value: '<url>',
      required: true,
      meaning:
        'an empty database (postgres://user:password@host/name) or a file that is not there (sqlite:/path)',
    },
  },
  run: async (context, args) => {
    const { from, to } = urlsOf(context, args)
    const source = opened(from)
    try {
      await migrate(source, context.now())
      const letGo = await refuseOthers(source, from)
      try {
        requireReadable(await survey(source, encryptedColumns), context.keys())
        return await moveTo(to, { source, context })
      } finally {
        await letGo()
      }
    } catch (error) {
      throw refusalOf(error, from)
    } finally {
      await source.close()
    }
  },
}

type Source = { source: Database; context: Context }

const moveTo = async (to: string, { source, context }: Source): Promise<Outcome> => {
  const target = opened(to)
  try {
    const moved = await moveStore({ source, target, now: context.now(), tell: teller(context) })
    return report(moved, context)
  } catch (error) {
    throw refusalOf(error, to)
  } finally {
    await target.close()
  }
}

const urlsOf = ({ config, file }: Context, args: Arguments): { from: string; to: string } => {
  const from = config.databaseUrl
  const given = required(args, 'to')
  const named = sqliteFile(given)
  if (named === null && !/^postgres(ql)?:\/\//.test(given))
    throw new UsageError(['--to must begin with sqlite: or postgres://'])
  const to = named === null ? given : `sqlite:${file(named)}`
  if (to === from) throw new RefusedError('--to names the store that DATABASE_URL names')
  const source = sqliteFile(from)
  if (source !== null && !existsSync(source)) throw new RefusedError(`there is no store at ${source}`)
  return { from, to }
}

const opened = (url: string): Database => {
  try {
    return openForMove(url)
  } catch (error) {
    throw refusalOf(error, url)
  }
}

/** What the operator can act on. */
const refusalOf = (error: unknown, url: string): unknown =>
  error instanceof MoveRefused || error instanceof MovedElsewhere || error instanceof StoreInUse
    ? new RefusedError(error.message)
    : (unusableStoreError(error, url) ?? error)

const toldEveryMs = 2000

/** A line now and then, and at the end of each table that took its time. */
const teller = ({ now, progress }: Context): ((progress: MoveProgress) => void) => {
  let toldAt = now()
  return ({ step, table, rows, total }) => {
    if (now() - toldAt < toldEveryMs) return
    toldAt = now()
    progress(`${step === 'copy' ? 'Copied' : 'Compared'} ${rows} of ${total} rows of ${table}`)
  }
}

const report = ({ tables, mended, resumed }: MovedStore, { config }: Context): Outcome => {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const filled = tables.filter((table) => table.rows > 0)
  const keys =
    config.encryptionKeys === null
      ? `the encryption-key file of ${config.dataDir}`
      : 'the same ENCRYPTION_KEY'
  return {
    lines: [
      ...filled.map(
        ({ name, rows: count, checksum }) =>
          `  ${name.padEnd(30)}${String(count).padStart(12)} rows  ${checksum}`,
      ),
      `${resumed ? 'Went on with a copy and copied' : 'Copied'} ${rows} rows of ${filled.length} tables; both stores were read again and are the same`,
      ...[...mended].map(
        ([column, count]) =>
          `${count} texts of ${column} had NUL or half a character, which PostgreSQL cannot hold: it is U+FFFD now`,
      ),
      `Now set DATABASE_URL to the new store, with ${keys}. Artifacts are where they were (ARTIFACTS_URL, or artifacts in DATA_DIR)`,
      'The old store is as it was: keep it as a backup, and start no control plane on it',
    ],
    json: { resumed, rows, tables, mended: Object.fromEntries(mended) },
  }
}
