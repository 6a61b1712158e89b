/** One call of the operator's program, from its words to what it prints: admin.ts gives it what is of a process. */
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

/** What is of the process that runs it. */
type Surroundings = Pick<Context, 'now' | 'sleep' | 'progress'> & {
  env: Record<string, string | undefined>
  /** Where it was called: names of files are relative to it. */
  folder: string
}

type Ended = { exitCode: number; stdout: string; stderr: string }

const contextOf = (
  config: WholeConfig,
  { now, sleep, progress, folder }: Surroundings,
): Context & { close(): Promise<void> } => {
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
    now,
    randomBytes: (size) => randomBytes(size),
    sleep,
    progress,
    file: (path) => resolve(folder, path),
    close: async () => {
      await opened?.db.close()
    },
  }
}

const execute = async (
  words: readonly string[],
  surroundings: Surroundings,
): Promise<{ outcome: Outcome; json: boolean }> => {
  const invocation = readInvocation(commands, words)
  if (invocation.kind === 'help') {
    const lines = invocation.command ? commandHelp(invocation.command) : generalHelp(commands)
    return { outcome: { lines, json: { help: lines.join('\n') } }, json: invocation.json }
  }
  const context = contextOf(readConfig(surroundings.env), surroundings)
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

export const runAdmin = async (words: readonly string[], surroundings: Surroundings): Promise<Ended> => {
  try {
    const { outcome, json } = await execute(words, surroundings)
    return {
      exitCode: outcome.failed ? exitCodes.failed : exitCodes.done,
      stdout: `${json ? JSON.stringify(outcome.json, null, 2) : outcome.lines.join('\n')}\n`,
      stderr: '',
    }
  } catch (error) {
    const { problems, exitCode } = problemsOf(error)
    return {
      exitCode,
      stdout: words.includes('--json') ? `${JSON.stringify({ problems }, null, 2)}\n` : '',
      stderr: problems.map((problem) => `watchpost: ${problem}\n`).join(''),
    }
  }
}
