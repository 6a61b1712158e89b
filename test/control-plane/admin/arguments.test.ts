import t from 'tap'
import { readInvocation } from '../../../control-plane/admin/arguments.ts'
import { UsageError } from '../../../control-plane/admin/command.ts'
import { commands } from '../../../control-plane/admin/commands.ts'
import { commandHelp, generalHelp } from '../../../control-plane/admin/help.ts'
import '../../support/patience.ts'

const problems = (line: string): readonly string[] => {
  try {
    readInvocation(commands, line.split(' ').filter(Boolean))
  } catch (error) {
    if (error instanceof UsageError) return error.problems
    throw error
  }
  return []
}

const cases: Array<[string, string[]]> = [
  ['account create Shop', []],
  ['account create', ['<name> is missing']],
  ['account create a b', ['"b" is not expected by "account create"']],
  ['account delete', ['there is no command "account delete": see --help']],
  ['frob --x', ['there is no command "frob": see --help']],
  ['key list --account=1', []],
  ['key list --account', ['--account needs <id>']],
  ['key list --account --json', ['--account needs <id>']],
  [
    'key list --acount 1',
    [
      '--acount is not an option of "key list"',
      '"1" is not expected by "key list"',
      '--account <id> is missing',
    ],
  ],
  ['key list --account 1 --account 2', ['--account is given twice']],
  [
    'key create --account 1 --name n --service=yes --role ROOT',
    ['--service takes no value', '--role must be one of ADMIN, READ_WRITE, READ_RUN, READ_ONLY'],
  ],
  [
    'key create --constructor',
    [
      '--constructor is not an option of "key create"',
      '--account <id> is missing',
      '--name <text> is missing',
    ],
  ],
  ['member add --account --email x', ['--account needs <id>', '--role <role> is missing']],
]
for (const [line, expected] of cases)
  t.test(
    `watchpost ${line}: ${expected.length === 0 ? 'fits' : `names ${expected.length} problems`}`,
    async (t) => {
      t.strictSame(problems(line), expected)
    },
  )

t.test('help: of everything, and of each command with all it takes', async (t) => {
  t.match(readInvocation(commands, []), { kind: 'help', command: null })
  t.match(readInvocation(commands, ['--help']), { kind: 'help', command: null })
  const general = generalHelp(commands).join('\n')
  for (const command of commands) {
    t.ok(general.includes(command.name))
    t.match(readInvocation(commands, [...command.name.split(' '), '--help']), { kind: 'help', command })
    const own = commandHelp(command).join('\n')
    for (const option of Object.keys(command.options)) t.ok(own.includes(`--${option}`), option)
    for (const { name } of command.positionals) t.ok(own.includes(`<${name}>`))
  }
})
