/**
 * The operator's program: `npx watchpost <command>`, and `watchpost <command>` in the image. It works on the store
 * itself, with the environment of the control plane, whether that runs or not. Like main.ts it reads `process`; what a
 * command does is in admin/<command>.ts.
 */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import pino from 'pino'
import { readInvocation } from './admin/arguments.ts'
import { type Context, type Outcome, RefusedError, UsageError } from './admin/command.ts'
import { commands } from './admin/commands.ts'
import { commandHelp, generalHelp } from './admin/help.ts'
import { createApp } from './create-app.ts'
import { createCipher, type Keyring } from './platform/services/secrets/cipher.ts'
import { ownEncryptionKeys } from './platform/services/secrets/generated-secrets.ts'
import { makeDataFolder } from './platform/settings/data-folder.ts'
import { ConfigError } from './platform/settings/reading.ts'
import { refuseUnreleased } from './platform/store/database/applied-migrations.ts'
import { migrate } from './platform/store/database/migrate.ts'
import { openDatabase } from './platform/store/database/open.ts'
import { unwatched } from './platform/store/database/statement-watch.ts'
import { UnusableStoreError, unusableStoreError } from './platform/store/database/unusable-store-error.ts'
import { ApiError } from './platform/words/errors.ts'
import type { WholeConfig } from './read-config.ts'
import { readConfig } from './read-config.ts'
import type { WholeApp } from './whole-app.ts'

const exitCodes = { done: 0, failed: 1, misused: 2 }

const contextOf = (config: WholeConfig): Context & { close(): Promise<void> } => {
  let opened: WholeApp | undefined
  let keyring: Keyring | undefined
  const keys = () => {
    if (config.encryptionKeys) return config.encryptionKeys
    keyring ??= ownEncryptionKeys(config.dataDir, randomBytes)
    return keyring()
  }
  return {
    config,
    open: async ({ migrate: brings } = { migrate: true }) => {
      if (opened) return opened
      makeDataFolder(config.dataDir)
      try {
        const db = openDatabase(config.databaseUrl, unwatched, config.databasePooler)
        const cipher = createCipher(keys, randomBytes)
        const log = pino({ level: 'silent' })
        opened = createApp({ config, db, log, cipher })
        if (brings) await migrate(db, opened.clock.now())
        else await refuseUnreleased(db)
        return opened
      } catch (error) {
        throw unusableStoreError(error, config.databaseUrl) ?? error
      }
    },
    keys,
    now: () => Date.now(),
    randomBytes: (size) => randomBytes(size),
    sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
    progress: (line) => process.stderr.write(`${line}\n`),
    // npm runs programs in the folder of the package and says here where it was called.
    file: (path) => resolve(process.env['INIT_CWD'] ?? process.cwd(), path),
    close: async () => {
      await opened?.db.close()
    },
  }
}

const execute = async (words: readonly string[]): Promise<{ outcome: Outcome; json: boolean }> => {
  const invocation = readInvocation(commands, words)
  if (invocation.kind === 'help') {
    const lines = invocation.command ? commandHelp(invocation.command) : generalHelp(commands)
    return { outcome: { lines, json: { help: lines.join('\n') } }, json: invocation.json }
  }
  // The store, the keys and backups are nobody else's to read.
  process.umask(0o077)
  const context = contextOf(readConfig(process.env))
  try {
    return { outcome: await invocation.command.run(context, invocation.args), json: invocation.json }
  } finally {
    await context.close()
  }
}

/** One sentence each for what the caller can act on; the stack for what they cannot. */
const problemsOf = (error: unknown): { problems: string[]; exitCode: number } => {
  if (error instanceof UsageError || error instanceof ConfigError)
    return { problems: [...error.problems], exitCode: exitCodes.misused }
  const expected = [RefusedError, ApiError, UnusableStoreError].some((kind) => error instanceof kind)
  const text =
    error instanceof Error ? (expected ? error.message : (error.stack ?? error.message)) : String(error)
  return { problems: [text], exitCode: exitCodes.failed }
}

const words = process.argv.slice(2)
try {
  const { outcome, json } = await execute(words)
  process.stdout.write(`${json ? JSON.stringify(outcome.json, null, 2) : outcome.lines.join('\n')}\n`)
  process.exitCode = outcome.failed ? exitCodes.failed : exitCodes.done
} catch (error) {
  const { problems, exitCode } = problemsOf(error)
  if (words.includes('--json')) process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`)
  for (const problem of problems) process.stderr.write(`watchpost: ${problem}\n`)
  process.exitCode = exitCode
}
