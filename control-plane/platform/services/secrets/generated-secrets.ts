/**
 * What a first start generates and later starts need again: keys in files of the data folder that only their owner can
 * read. A file is complete or absent, also across a kill.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Keyring } from './cipher.ts'

const bootstrapFile = (dataDir: string): string => join(dataDir, 'bootstrap.json')

/** What the first start generated; nothing before it. */
export const readBootstrap = <B extends object>(dataDir: string): Partial<B> => {
  const file = bootstrapFile(dataDir)
  const text = readIfPresent(file)
  if (text === null) return {}
  try {
    return JSON.parse(text) as Partial<B>
  } catch (error) {
    throw new Error(`${file} is not valid JSON; repair it or remove it to get new keys`, { cause: error })
  }
}

export const writeBootstrap = (dataDir: string, bootstrap: object): void =>
  writePrivately(bootstrapFile(dataDir), `${JSON.stringify(bootstrap, null, 2)}\n`)

const encryptionKeyFile = (dataDir: string): string => join(dataDir, 'encryption-key')

/**
 * The encryption keys of this installation, one per line of their file; the first one is made on the first call. The
 * file may be rewritten while programs run (`watchpost encryption-key rotate`): they look at every use.
 */
export const ownEncryptionKeys = (dataDir: string, randomBytes: (size: number) => Buffer): Keyring => {
  const file = encryptionKeyFile(dataDir)
  if (readIfPresent(file) === null) writeEncryptionKeys(dataDir, [randomBytes(32)])
  let seen: { version: string; keys: readonly Buffer[] } | undefined
  return () => {
    const { ino, mtimeMs, size } = statSync(file)
    const version = `${ino} ${mtimeMs} ${size}`
    if (seen?.version !== version) seen = { version, keys: keysIn(readFileSync(file, 'utf8')) }
    return seen.keys
  }
}

/** The first encrypts, all decrypt. */
export const writeEncryptionKeys = (dataDir: string, keys: readonly Buffer[]): void =>
  writePrivately(encryptionKeyFile(dataDir), keys.map((key) => `${key.toString('base64')}\n`).join(''))

/** The keys in the text of an `encryption-key` file, one per line. */
export const keysIn = (text: string): Buffer[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, position) => {
      const key = Buffer.from(line.trim(), 'base64')
      if (key.length !== 32)
        throw new Error(`The encryption-key file must hold base64 of 32 bytes (line ${position + 1})`)
      return key
    })

/** The files that hold keys, for backups. */
const secretFileNames = ['encryption-key', 'bootstrap.json'] as const

export const readSecretFile = (dataDir: string, name: (typeof secretFileNames)[number]): string | null =>
  readIfPresent(join(dataDir, name))

export const secretFiles = (dataDir: string): Array<{ name: string; content: string }> =>
  secretFileNames.flatMap((name) => {
    const content = readSecretFile(dataDir, name)
    return content === null ? [] : [{ name, content }]
  })

/** @throws Error for a file that is none of ours: its name comes from a backup */
export const writeSecretFile = (dataDir: string, name: string, content: string): void => {
  if (!(secretFileNames as readonly string[]).includes(name))
    throw new Error(`A backup carries an unknown file: ${name}`)
  writePrivately(join(dataDir, name), content)
}

const readIfPresent = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const writePrivately = (file: string, text: string): void => {
  const temporary = `${file}.new`
  const handle = openSync(temporary, 'w', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}
