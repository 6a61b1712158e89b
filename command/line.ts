/** The words of a command line: which command, its options, and the help that follows from them. */
import { parseArgs } from 'node:util'
import { type Command, CommandError, type Options } from './io.ts'

/** @throws CommandError naming every problem */
export const readOptions = ({ name, options: known }: Command, words: readonly string[]): Options => {
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(known).map(([option, { value }]) => [
        option,
        { type: value === undefined ? 'boolean' : 'string' } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = tokens.filter((token) => token.kind === 'option')
  const problems = given.flatMap(({ name: option, rawName, value }) => {
    const declared = Object.hasOwn(known, option) ? known[option] : undefined
    if (declared === undefined)
      return [`${rawName} is not an option of "${name}": see watchpost ${name} --help`]
    if (declared.value === undefined) return value === undefined ? [] : [`${rawName} takes no value`]
    return value === undefined || value === '' ? [`${rawName} needs ${declared.value}`] : []
  })
  if (problems.length > 0) throw new CommandError(problems)
  return {
    positionals: tokens.filter((token) => token.kind === 'positional').map(({ value }) => value),
    values: Object.fromEntries(
      given.flatMap(({ name: option, value }) => (value === undefined ? [] : [[option, value]])),
    ),
    all: Object.fromEntries(
      Object.entries(Object.groupBy(given, ({ name: option }) => option)).map(([option, tokens = []]) => [
        option,
        tokens.flatMap(({ value }) => value ?? []),
      ]),
    ),
    switches: new Set(given.filter(({ value }) => value === undefined).map(({ name: option }) => option)),
  }
}

/** A whole number of an option, with what it is where it is left out. @throws CommandError */
export const numberOf = ({ values }: Options, name: string, otherwise: number): number => {
  const value = values[name]
  if (value === undefined) return otherwise
  if (!/^\d{1,9}$/.test(value)) throw new CommandError([`--${name} must be a whole number, not "${value}"`])
  return Number(value)
}

const table = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

export const generalHelp = (commands: readonly Command[]): string[] => [
  'watchpost <command> [arguments] [--json] [--help]',
  '',
  'Checks as code, against the address in WATCHPOST_URL with the key in WATCHPOST_API_KEY:',
  ...table(commands.map(({ name, summary }) => [name, summary] as const)),
  '',
  'Exit codes: 0 done or nothing to do, 1 failed, 2 there are changes (plan --detailed-exitcode).',
  'Commands of the operator, on the machine of the control plane: watchpost --help',
]

export const helpOf = ({ name, takes, summary, options }: Command): string[] => [
  `watchpost ${name} ${takes}`.trimEnd(),
  '',
  summary,
  '',
  ...table(
    Object.entries(options).map(
      ([option, { value, meaning }]) =>
        [value === undefined ? `--${option}` : `--${option} ${value}`, meaning] as const,
    ),
  ),
]
