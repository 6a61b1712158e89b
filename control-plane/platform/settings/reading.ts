/** How settings are read: each reader takes its own variables and adds to the errors, so that one message lists them all. */
import { misspeltVariables, namesOfVariables } from '../../../protocol/misspelt-variables.ts'
import { readSecretFiles } from './secret-files.ts'

/** `secret`: `<name>_FILE` may name a file that holds it. */
export type Variable = { name: string; default: string; meaning: string; secret?: boolean | undefined }

export type Reader = {
  /** An empty variable counts as unset: that is how Compose files and shells leave one out. */
  text(name: string): string | null
  matching(name: string, pattern: RegExp, wanted: string): string | null
  problems: string[]
  /** What should be otherwise, and stops nothing. */
  warnings: readonly string[]
}

export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration has problems:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** @throws ConfigError */
export const readSettings = <C>(
  env: Environment,
  { known, read }: { known: readonly Variable[]; read(reader: Reader): C },
): Readonly<C> => {
  const problems: string[] = []
  const { values, warnings } = readSecretFiles(env, known, problems)
  const text = (name: string): string | null => values.get(name) ?? (env[name]?.trim() || null)
  const matching = (name: string, pattern: RegExp, wanted: string): string | null => {
    const value = text(name)
    if (value !== null && !pattern.test(value)) problems.push(`${name} must be ${wanted}`)
    return value
  }
  const config = read({ text, matching, problems, warnings })
  problems.push(...misspeltVariables(env, namesOfVariables(known)))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

const gigabytes = /^\d{1,6}(\.\d{1,3})?$/

/** In bytes. */
export const readGigabytes = ({ matching }: Pick<Reader, 'matching'>, name: string): number | null => {
  const value = matching(name, gigabytes, 'a number of gigabytes')
  return value === null ? null : Math.floor(Number(value) * 1024 ** 3)
}

/** All or none: what is missing beside the others is a problem that names it. */
export const readTogether = <K extends string>(
  { problems }: Pick<Reader, 'problems'>,
  values: Record<K, string | null>,
): Record<K, string> | null => {
  const names = Object.keys(values) as K[]
  const missing = names.filter((name) => values[name] === null)
  if (missing.length === names.length) return null
  if (missing.length > 0) {
    const given = names.filter((name) => values[name] !== null)
    problems.push(`${missing.join(', ')}: required with ${given.join(', ')}`)
  }
  return values as Record<K, string>
}
