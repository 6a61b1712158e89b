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

const readArguments = (command: Command, words: readonly string[]): Arguments => {
  const problems: string[] = []
  const positionals: string[] = []
  const values: Record<string, string> = {}
  const switches = new Set<string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!word.startsWith('--')) {
      positionals.push(word)
      continue
    }
    const [, name = '', , inline] = /^--([^=]*)(=([\s\S]*))?$/.exec(word) ?? []
    const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined
    if (!option) problems.push(`--${name} is not an option of "${command.name}"`)
    if (Object.hasOwn(values, name) || switches.has(name)) problems.push(`--${name} is given twice`)
    if (option?.value === undefined) {
      if (option && inline !== undefined) problems.push(`--${name} takes no value`)
      switches.add(name)
    } else {
      const value = inline ?? words[at + 1]
      if (inline === undefined) at += 1
      if (value === undefined || value === '' || (inline === undefined && value.startsWith('--')))
        problems.push(`--${name} needs ${option.value}`)
      if (inline === undefined && value?.startsWith('--')) at -= 1
      values[name] = value ?? ''
      problems.push(...choiceProblems(name, option, value))
    }
  }
  problems.push(...missing(command, { positionals, values, switches }))
  if (problems.length > 0) throw new UsageError(problems)
  return { positionals, values, switches }
}

const choiceProblems = (name: string, { oneOf }: Option, value: string | undefined): string[] =>
  oneOf === undefined || value === undefined || value.startsWith('--') || oneOf.includes(value)
    ? []
    : [`--${name} must be one of ${oneOf.join(', ')}`]

const missing = ({ name, positionals, options }: Command, given: Arguments): string[] => [
  ...positionals.slice(given.positionals.length).map((positional) => `<${positional.name}> is missing`),
  ...given.positionals.slice(positionals.length).map((extra) => `"${extra}" is not expected by "${name}"`),
  ...Object.entries(options)
    .filter(([option, { required }]) => required && !Object.hasOwn(given.values, option))
    .map(([option, { value }]) => `--${option} ${value} is missing`),
]
