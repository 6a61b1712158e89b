import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { agentVariables } from '../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../control-plane/read-config.ts'
import { namesOfVariables } from '../protocol/misspelt-variables.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const known = new Set(namesOfVariables([...agentVariables, ...controlPlaneVariables]))

/** All of them are in docs/deploy/environment.md (test/docs/deploy.test.ts). */
t.test('settings that the README names are read by a program', async (t) => {
  const [, after = ''] = readme.split('\n### Settings\n')
  const [section = ''] = after.split(/\n##/)
  const named = [...section.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name ?? '')
  t.ok(named.length > 5)
  for (const name of named) t.ok(known.has(name), name)
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
