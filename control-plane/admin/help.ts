import type { Command, Option } from './command.ts'

const program = 'watchpost'

const usage = ({ name, positionals, options }: Command): string =>
  [
    name,
    ...positionals.map((positional) => `<${positional.name}>`),
    ...Object.entries(options).map(([option, given]) =>
      given.required ? spelled(option, given) : `[${spelled(option, given)}]`,
    ),
  ].join(' ')

const spelled = (name: string, { value }: Option): string => (value ? `--${name} ${value}` : `--${name}`)

const table = (rows: Array<[string, string]>): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

export const generalHelp = (commands: readonly Command[]): string[] => [
  `${program} <command> [arguments] [--json] [--help]`,
  '',
  'Commands of the operator, on the machine (or with the environment) of the control plane:',
  ...table(commands.map(({ name, summary }) => [name, summary])),
  '',
  'Checks as code, against any control plane with a key (watchpost plan --help):',
  '  plan, apply, validate, export, import, run, schema',
  '',
  'The commands of the operator read the same environment as the control plane: DATA_DIR, DATABASE_URL, ENCRYPTION_KEY …',
  'Exit codes: 0 done, 1 refused or failed, 2 wrong arguments or configuration.',
]

export const commandHelp = (command: Command): string[] => [
  `${program} ${usage(command)}`,
  '',
  command.summary,
  ...(command.description === undefined ? [] : ['', command.description]),
  '',
  ...table([
    ...command.positionals.map(({ name, meaning }): [string, string] => [`<${name}>`, meaning]),
    ...Object.entries(command.options).map(([name, option]): [string, string] => [
      spelled(name, option),
      option.oneOf ? `${option.meaning}: ${option.oneOf.join(', ')}` : option.meaning,
    ]),
    ['--json', 'print one JSON value'],
  ]),
]
