import { existsSync } from 'node:fs'
import { keyId } from '../platform/services/secrets/cipher.ts'
import { migrationState } from '../platform/store/database/applied-migrations.ts'
import type { Db } from '../platform/store/database/db.ts'
import { sqliteFile } from '../platform/store/database/open.ts'
import { sqliteErrors } from '../platform/store/database/sqlite-backup.ts'
import type { Tables } from '../platform/store/database/tables.ts'
import type { Command, Context } from './command.ts'
import { encryptedColumns } from './encrypted-columns.ts'
import { countRows } from './queries.ts'
import { type Survey, survey } from './reseal.ts'

const counted: ReadonlyArray<keyof Tables> = [
  'accounts',
  'users',
  'memberships',
  'invites',
  'api_keys',
  'private_locations',
  'location_keys',
  'agents',
  'checks',
]

export const check: Command = {
  name: 'check',
  summary: 'the configuration, the store and its secrets, looked at and not changed',
  positionals: [],
  options: { integrity: { meaning: 'also read every page of a SQLite store (takes long for a large one)' } },
  run: async (context, args) => {
    const config = configuration(context)
    const file = sqliteFile(context.config.databaseUrl)
    if (file !== null && !existsSync(file)) {
      const problem = `there is no store at ${file}: the first start of the control plane makes it`
      return {
        lines: [...configLines(config), `Problem: ${problem}`],
        json: { config, problems: [problem] },
        failed: true,
      }
    }
    const { db } = await context.open({ migrate: false })
    const migrations = await migrationState(db)
    const isCurrent = migrations.pending.length === 0 && migrations.unknown.length === 0
    const counts = isCurrent ? await countAll(db) : {}
    const secrets: Survey = isCurrent ? await survey(db, encryptedColumns) : new Map()
    const damage = args.switches.has('integrity') && file !== null ? sqliteErrors(file) : []
    const problems = [
      ...migrations.pending.map((id) => `migration ${id} is not applied: the next start does it`),
      ...migrations.unknown.map((id) => `migration ${id} is unknown: the store belongs to a newer version`),
      ...unreadable(context, secrets),
      ...damage.map((line) => `the store is damaged: ${line}`),
    ]
    return {
      lines: [
        ...configLines(config),
        `Migrations: ${migrations.applied.join(', ') || 'none'}`,
        ...Object.entries(counts).map(([table, count]) => `${table}: ${count}`),
        ...[...secrets].map(([id, count]) => `Secrets under key ${id}: ${count}`),
        ...problems.map((problem) => `Problem: ${problem}`),
        ...(problems.length === 0 ? ['No problems'] : []),
      ],
      json: { config, migrations, counts, secrets: Object.fromEntries(secrets), problems },
      failed: problems.length > 0,
    }
  },
}

const configuration = ({ config }: Context) => ({
  dataDir: config.dataDir,
  databaseUrl: withoutPassword(config.databaseUrl),
  baseUrl: config.baseUrl,
  listen: `${config.host}:${config.port}`,
  encryptionKeysFrom: config.encryptionKeys === null ? 'DATA_DIR' : 'ENCRYPTION_KEY',
  logLevel: config.logLevel,
})

const withoutPassword = (url: string): string =>
  url.replace(/^(\w+:\/\/[^:@/]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/gi, '$1***')

const configLines = (config: ReturnType<typeof configuration>): string[] =>
  Object.entries(config).map(([name, value]) => `${name}: ${value}`)

const countAll = async (db: Db): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const table of counted) counts[table] = await countRows(db, table)
  return counts
}

const unreadable = (context: Context, secrets: Survey): string[] => {
  if (secrets.size === 0) return []
  const known = context.keys().map(keyId)
  return [...secrets]
    .filter(([id]) => !known.includes(id))
    .map(([id, count]) => `${count} secrets need encryption key ${id}, which is not here`)
}
