/** Secrets that stand in files: what `X_FILE` names holds the value of `X`. */
import { readFileSync, type Stats, statSync } from 'node:fs'

type Environment = Readonly<Record<string, string | undefined>>
type Known = readonly { name: string; secret?: boolean | undefined }[]

const fileVariable = (name: string): string => `${name}_FILE`

/** `warnings`: what the operator should change, and what works. */
type SecretFiles = { values: ReadonlyMap<string, string>; warnings: readonly string[] }

const maxBytes = 64 * 1024

/** Problems and warnings name files and never show what is in them. */
export const readSecretFiles = (env: Environment, known: Known, problems: string[]): SecretFiles => {
  const values = new Map<string, string>()
  const warnings: string[] = []
  for (const { name, secret } of known) {
    const variable = fileVariable(name)
    const path = secret ? env[variable]?.trim() : undefined
    if (!path) continue
    if (env[name]?.trim()) {
      problems.push(`${name} and ${variable} are both set: use one`)
      continue
    }
    const read = readSecret(path)
    if ('problem' in read) problems.push(`${variable}: ${path} ${read.problem}`)
    else {
      values.set(name, read.value)
      if (read.isOpen)
        warnings.push(`${variable}: every user of this machine can read ${path}; chmod o-rwx takes that away`)
    }
  }
  return { values, warnings }
}

const readSecret = (path: string): { value: string; isOpen: boolean } | { problem: string } => {
  let stats: Stats
  try {
    stats = statSync(path)
  } catch (error) {
    return { problem: problemOf(error, '') }
  }
  if (stats.isDirectory()) return { problem: 'is a folder: name the file in it' }
  if (stats.size > maxBytes) return { problem: `holds more than ${maxBytes / 1024} KB: that is no secret` }
  try {
    const value = readFileSync(path, 'utf8').trim()
    if (value === '') return { problem: 'is empty: write the value into it' }
    return { value, isOpen: (stats.mode & 0o004) !== 0 }
  } catch (error) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    return { problem: problemOf(error, `: it is of user ${stats.uid} and group ${stats.gid}, mode ${mode}`) }
  }
}

const problemOf = (error: unknown, owner: string): string => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return 'is not there: mount it, or write the value into that file'
  if (code === 'EACCES' || code === 'EPERM')
    return `may not be read by the user of this program${owner}; chown or chmod changes that`
  return `cannot be read: ${message}`
}
