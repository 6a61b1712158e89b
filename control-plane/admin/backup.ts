import { chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { secretFiles } from '../platform/services/secrets/generated-secrets.ts'
import { controlPlaneVersion } from '../platform/settings/config.ts'
import { sqliteFile } from '../platform/store/database/open.ts'
import { backupSqlite, type CarriedFile } from '../platform/store/database/sqlite-backup.ts'
import { type Command, RefusedError } from './command.ts'
import { required } from './given.ts'

export const backup: Command = {
  name: 'backup',
  summary: 'write the store into one file, while the control plane runs or not',
  description: [
    'Secrets in it are encrypted. The encryption keys and the generated API keys are left out unless --with-keys is',
    'given: keep them elsewhere, without them a backup cannot be used. Artifacts (traces, screenshots) are files of',
    'their own and not part of it.',
  ].join('\n'),
  positionals: [{ name: 'file', meaning: 'where to; it must not exist' }],
  options: {
    'with-keys': {
      meaning: 'include encryption-key and bootstrap.json: whoever has the file has everything',
    },
  },
  run: async (context, args) => {
    const { config } = context
    const file = context.file(required(args, 0))
    const source = sqliteFile(config.databaseUrl)
    if (source === null)
      throw new RefusedError(
        'the store is PostgreSQL: back it up with\n  pg_dump --format=custom --no-owner --file=watchpost.dump "$DATABASE_URL"\n' +
          `and keep the encryption keys (ENCRYPTION_KEY, or encryption-key in ${config.dataDir})`,
      )
    if (!existsSync(source)) throw new RefusedError(`there is no store at ${source}`)
    if (existsSync(file)) throw new RefusedError(`${file} exists already`)
    const files = args.switches.has('with-keys') ? secretFiles(config.dataDir) : []
    await write({ source, file, files, madeAt: context.now() })
    const { size } = statSync(file)
    const names = files.map(({ name }) => name)
    return {
      lines: [
        `Wrote ${file} (${size} bytes), checked and intact`,
        names.length > 0
          ? `It holds ${names.join(' and ')}: keep it like a password`
          : 'It holds no keys: keep those elsewhere (or use --with-keys)',
      ],
      json: { file, bytes: size, files: names },
    }
  },
}

type Job = { source: string; file: string; files: CarriedFile[]; madeAt: number }

/** A backup that was cut off is not there. */
const write = async ({ source, file, files, madeAt }: Job): Promise<void> => {
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  try {
    await backupSqlite(source, partial, {
      manifest: { made_at: madeAt, version: controlPlaneVersion },
      files,
    })
    chmodSync(partial, 0o600)
    renameSync(partial, file)
  } finally {
    rmSync(partial, { force: true })
  }
}
