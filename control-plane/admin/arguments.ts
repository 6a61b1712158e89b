import { parseArgs } from 'node:util'
import { type Arguments, type Command, type Option, UsageError } from './command.ts'

type Invocation =
  | { kind: 'help'; command: Command | null; json: boolean }
  | { kind: 'run'; command: Command; args: Arguments; json: boolean }

/** From the words of a command line to a command and what it was given. @throws UsageError naming every problem */
export const readInvocation = (commands: readonly Command[], words: readonly string[]): Invocation => {
  const json = words.includes('--json')
  const wantsHelp = words.some((word) => word === '--help' || word === '-h')
  const rest = words.filter((word) => word !== '--json' && word !== '--help' && word !== '-h')
  const command = commands
    .filter(({ name }) => name.split(' ').every((part, position) => rest[position] === part))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (wantsHelp || rest.length === 0) return { kind: 'help', command: command ?? null, json }
  if (!command) throw new UsageError([`there is no command "${commandWords(rest)}": see --help`])
  const args = readArguments(command, rest.slice(command.name.split(' ').length))
  return { kind: 'run', command, args, json }
}

const commandWords = (words: readonly string[]): string => {
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  return words.slice(0, firstOption === -1 ? 2 : Math.min(2, firstOption)).join(' ') || String(words[0])
}

/** Not `strict`, which stops at the first problem. */
const readArguments = (command: Command, words: readonly string[]): Arguments => {
  const optionOf = (name: string): Option | undefined =>
    Object.hasOwn(command.options, name) ? command.options[name] : undefined
  const takesValue = (name: string): boolean => optionOf(name)?.value !== undefined
  const { tokens } = parseArgs({
    args: words.map((word, at) =>
      word.startsWith('--') && takesValue(word.slice(2)) && (words[at + 1] ?? '--').startsWith('--')
        ? `${word}=`
        : word,
    ),
    options: Object.fromEntries(
      Object.keys(command.options).map((name) => [name, { type: takesValue(name) ? 'string' : 'boolean' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = tokens.filter((token) => token.kind === 'option')
  const positionals = tokens.filter((token) => token.kind === 'positional').map(({ value }) => value)
  const values = Object.fromEntries(
    given.filter(({ name }) => takesValue(name)).map(({ name, value }) => [name, value ?? '']),
  )
  const switches = new Set(given.map(({ name }) => name).filter((name) => !takesValue(name)))
  const problems = [
    ...given.flatMap(({ name, rawName, value }, at) => [
      ...(optionOf(name) ? [] : [`${rawName} is not an option of "${command.name}"`]),
      ...(given.findIndex((other) => other.name === name) < at ? [`${rawName} is given twice`] : []),
      ...valueErrors(rawName, optionOf(name), value),
    ]),
    ...missing(command, { positionals, values, switches }),
  ]
  if (problems.length > 0) throw new UsageError(problems)
  return { positionals, values, switches }
}

const valueErrors = (name: string, option: Option | undefined, value: string | undefined): string[] => {
  if (option === undefined) return []
  if (option.value === undefined) return value === undefined ? [] : [`${name} takes no value`]
  if (value === undefined || value === '') return [`${name} needs ${option.value}`]
  const { oneOf } = option
  return oneOf === undefined || oneOf.includes(value) ? [] : [`${name} must be one of ${oneOf.join(', ')}`]
}

const missing = ({ name, positionals, options }: Command, given: Arguments): string[] => [
  ...positionals.slice(given.positionals.length).map((positional) => `<${positional.name}> is missing`),
  ...given.positionals.slice(positionals.length).map((extra) => `"${extra}" is not expected by "${name}"`),
  ...Object.entries(options)
    .filter(([option, { required }]) => required && !Object.hasOwn(given.values, option))
    .map(([option, { value }]) => `--${option} ${value} is missing`),
]
