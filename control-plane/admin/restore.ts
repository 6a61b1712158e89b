import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createCipher, keyId } from '../platform/services/secrets/cipher.ts'
import { keysIn, readSecretFile, writeSecretFile } from '../platform/services/secrets/generated-secrets.ts'
import { deleteCanary } from '../platform/services/secrets/key-canary.ts'
import { makeDataFolder, makePrivateFolder } from '../platform/settings/data-folder.ts'
import { isUnreleased, migrationState } from '../platform/store/database/applied-migrations.ts'
import { openDatabase, sqliteFile } from '../platform/store/database/open.ts'
import { isInUse, type OpenedBackup, unpackBackup } from '../platform/store/database/sqlite-backup.ts'
import { toIso } from '../platform/words/shapes/instants.ts'
import { type Command, type Context, RefusedError } from './command.ts'
import { encryptedColumns } from './encrypted-columns.ts'
import { giveUpSecrets, type Lost } from './give-up-secrets.ts'
import { required } from './given.ts'
import { survey } from './reseal.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'put a backup in the place of the store',
  description: 'Never under a running control plane: stop it first.',
  positionals: [{ name: 'file', meaning: 'a file that "backup" wrote' }],
  options: {
    force: { meaning: 'replace what is in the data folder' },
    'without-secrets': {
      meaning:
        'also when the keys of its secrets are missing: these are given up, and what has to be given again is listed',
    },
  },
  run: async (context, args) => {
    const { config } = context
    const file = context.file(required(args, 0))
    const target = sqliteFile(config.databaseUrl)
    if (target === null)
      throw new RefusedError(
        'the store is PostgreSQL: restore it with\n  pg_restore --clean --if-exists --no-owner --dbname="$DATABASE_URL" watchpost.dump',
      )
    if (!existsSync(file)) throw new RefusedError(`there is no file ${file}`)
    requireFree(context, target, args.switches.has('force'))
    makeDataFolder(config.dataDir)
    makePrivateFolder(dirname(target))
    const fresh = `${target}.restoring`
    try {
      copyFileSync(file, fresh)
      chmodSync(fresh, 0o600)
      const backup = unpack(fresh, file)
      const keyFile = mergedKeys(context, backup)
      const found = await inspect(fresh, {
        keyFile,
        context,
        tolerant: args.switches.has('without-secrets'),
      })
      replace(target, fresh)
      for (const { name, content } of backup.files)
        writeSecretFile(config.dataDir, name, name === 'encryption-key' ? found.keyFile : content)
      if (found.keyFile !== keyFile) writeSecretFile(config.dataDir, 'encryption-key', found.keyFile)
      return report(target, backup, found)
    } finally {
      removeStore(fresh)
    }
  },
}

/** Keys may be put there before; a file system of its own begins with the other. */
const ofNobody: ReadonlySet<string> = new Set(['encryption-key', 'lost+found'])

const requireFree = ({ config }: Context, target: string, force: boolean): void => {
  if (existsSync(target) && isInUse(target))
    throw new RefusedError(
      `${target} is in use: stop the control plane (and whatever else has it open) first`,
    )
  const present = existsSync(config.dataDir)
    ? readdirSync(config.dataDir).filter((name) => !ofNobody.has(name))
    : []
  if ((existsSync(target) || present.length > 0) && !force)
    throw new RefusedError(
      existsSync(target)
        ? `there is a store at ${target}: --force replaces it`
        : `${config.dataDir} is not empty (${present.slice(0, 3).join(', ')}): --force restores into it`,
    )
}

const unpack = (fresh: string, file: string): OpenedBackup => {
  try {
    return unpackBackup(fresh)
  } catch (error) {
    throw new RefusedError(`${file} cannot be restored: ${(error as Error).message.replaceAll(fresh, 'it')}`)
  }
}

/** The keys of the backup, then the ones that were here: nothing that could be read becomes unreadable. */
const mergedKeys = ({ config }: Context, { files }: OpenedBackup): string => {
  const here = readSecretFile(config.dataDir, 'encryption-key') ?? ''
  const carried = files.find(({ name }) => name === 'encryption-key')?.content ?? ''
  const lines = `${carried}\n${here}`.split('\n').map((line) => line.trim())
  return [...new Set(lines)]
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('')
}

type Look = { keyFile: string; context: Context; tolerant: boolean }

/** `keyFile`: with a new key where there was none at all. `lost`: what was given up. */
type Found = { secrets: number; keyFile: string; lost: readonly Lost[] }

/** Whether this program can use the store: its schema is not newer, and its secrets can be read or are given up. */
const inspect = async (fresh: string, { keyFile, context, tolerant }: Look): Promise<Found> => {
  const db = openDatabase(`sqlite:${fresh}`)
  try {
    const state = await migrationState(db)
    if (isUnreleased(state))
      throw new RefusedError(
        'the backup is of a version before the first release, which this one cannot read',
      )
    const { unknown, pending } = state
    if (unknown.length > 0)
      throw new RefusedError(`the backup is of a newer version (it has ${unknown.join(', ')}): update first`)
    // An older schema has fewer columns: what is not there yet holds no secrets.
    const found = pending.length > 0 ? new Map<string, number>() : await survey(db, encryptedColumns)
    const known = (context.config.encryptionKeys ?? keysIn(keyFile)).map(keyId)
    const missing = [...found.keys()].filter((id) => !known.includes(id))
    if (missing.length > 0 && !tolerant)
      throw new RefusedError(
        `the secrets of the backup need the encryption keys ${missing.join(', ')}: put the encryption-key file into ` +
          `${context.config.dataDir} or set ENCRYPTION_KEY, or lose them with --without-secrets`,
      )
    const secrets = [...found.values()].reduce((sum, count) => sum + count, 0)
    if (missing.length === 0) return { secrets, keyFile, lost: [] }
    // Where nothing else was sealed, the store is then as good as new to another key.
    await db.run(deleteCanary, {})
    const { encryptionKeys } = context.config
    const isKeyless = encryptionKeys === null && keyFile === ''
    const wholeKeyFile = isKeyless ? `${context.randomBytes(32).toString('base64')}\n` : keyFile
    const cipher = createCipher(encryptionKeys ?? keysIn(wholeKeyFile), context.randomBytes)
    const lost = await giveUpSecrets(db, { cipher, columns: encryptedColumns })
    return { secrets, keyFile: wholeKeyFile, lost }
  } finally {
    await db.close()
  }
}

const replace = (target: string, fresh: string): void => {
  // A log of the store before would be taken for this one's.
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${target}${suffix}`, { force: true })
  renameSync(fresh, target)
}

const removeStore = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true })
}

const report = (target: string, { manifest, files }: OpenedBackup, { secrets, lost }: Found) => {
  const names = files.map(({ name }) => name)
  const madeAt = toIso(manifest.made_at)
  return {
    lines: [
      `Restored ${target} from the backup of ${madeAt} (version ${manifest.version})`,
      ...(names.length > 0 ? [`Restored ${names.join(' and ')}`] : []),
      `${secrets} secrets were found`,
      ...(lost.length > 0 ? ['These could not be opened and are given up; give them again:'] : []),
      ...lost.map(lineOf),
    ],
    json: { file: target, madeAt, version: manifest.version, files: names, secrets, lost },
  }
}

const lineOf = ({ holds, count, names }: Lost): string =>
  `  ${count} ${holds}: ${names.join(', ')}${count > names.length ? ' and others' : ''}`
