import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { agentVariables } from '../agent/agent-variables.ts'
import { controlPlaneVariables } from '../control-plane/platform/config.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The rows of the table under a heading. */
const tableUnder = (heading: string): string[] => {
  const [, after = ''] = readme.split(`\n### ${heading}\n`)
  const [section = ''] = after.split(/\n##/)
  return section.split('\n').filter((line) => line.startsWith('| `'))
}

const rowsOf = (variables: readonly { name: string; default: string; meaning: string }[]): string[] =>
  variables.map(({ name, default: fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`)

t.test("the README's tables are the settings that the programs read", async (t) => {
  t.strictSame(tableUnder('Settings of the control plane'), rowsOf(controlPlaneVariables))
  t.strictSame(tableUnder('Settings of the agent'), rowsOf(agentVariables))
})

t.test('the two commands come first', async (t) => {
  const commands = readme.match(/^npm \w+/gm) ?? []
  t.strictSame(commands.slice(0, 2), ['npm start', 'npm test'])
})

t.test('files that the README points to exist', async (t) => {
  const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path]) => path ?? '')
  t.ok(links.length > 3)
  for (const path of links) t.ok(existsSync(new URL(`../${path}`, import.meta.url)), path)
})
