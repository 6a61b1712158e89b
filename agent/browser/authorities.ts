/** The location's own authorities in the processes of a run: Node reads them from a file, Chromium from a database of NSS. */
import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CannotRun } from '../base/cannot-run.ts'
import type { Owner } from '../isolation/launch-plan.ts'
import { folderPrefix } from '../isolation/private-folder.ts'
import type { Program } from '../isolation/program.ts'
import type { Host } from '../sandbox/sandbox-options.ts'

const pemFile = 'authorities.pem'

/** The program of a run with the file beside it. */
export const withAuthorities = (
  program: () => Promise<Program>,
  extraCaCerts: string | null,
): (() => Promise<Program>) =>
  extraCaCerts === null ? program : async () => [...(await program()), { name: pemFile, code: extraCaCerts }]

/** For each Node in that folder. */
export const authoritiesOfNode = (folder: string, extraCaCerts: string | null): Record<string, string> =>
  extraCaCerts === null ? {} : { NODE_EXTRA_CA_CERTS: join(folder, pemFile) }

/** Puts the database into the folder that the browser of a run takes for its home. */
export type LayAuthorities = (home: string, owner: Owner | null) => Promise<void>

const databases = ['cert9.db', 'key4.db'] as const

type Database = readonly { name: string; bytes: Buffer }[]

/** The database is made for the first run that needs it; all have copies. */
export const createAuthorities = (extraCaCerts: string | null, host: Host): LayAuthorities => {
  let making: Promise<Database> | null = null
  return async (home, owner) => {
    if (extraCaCerts === null) return
    making ??= makeDatabase(extraCaCerts, host).catch((error: unknown) => {
      // Perhaps the next one finds more memory.
      making = null
      throw error
    })
    const database = await making
    const own = async (path: string): Promise<void> => {
      if (owner !== null) await chown(path, owner.uid, owner.gid)
    }
    // The place that each version of Chromium looks at.
    for (const folder of [join(home, '.pki'), join(home, '.pki/nssdb')]) {
      await mkdir(folder, { mode: 0o700 })
      await own(folder)
    }
    for (const { name, bytes } of database) {
      const path = join(home, '.pki/nssdb', name)
      await writeFile(path, bytes, { flag: 'wx', mode: 0o600 })
      await own(path)
    }
  }
}

const makeDatabase = async (extraCaCerts: string, { execPath }: Host): Promise<Database> => {
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  try {
    const program = fileURLToPath(new URL('write-nss.ts', import.meta.url))
    const args = ['--no-warnings', program, folder]
    const running = promisify(execFile)(execPath, args, { env: {}, timeout: 30_000 })
    // One that ends early does not read; how it ended says why.
    running.child.stdin?.on('error', () => undefined).end(extraCaCerts)
    await running
    return await Promise.all(
      databases.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })),
    )
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    const reason = /^\w*Error: (.*)/m.exec(stderr)?.[1] ?? message
    throw new CannotRun(`This agent cannot hand EXTRA_CA_CERTS to its browser: ${reason}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
