/** docs/monitoring/exporter.md holds every metric that an account's exporter and an agent's `/probe` show, and no other. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { probeModules } from '../../agent/probe/probe-request.ts'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import {
  checkFamilies,
  locationFamilies,
  runFamilies,
  standardNames,
} from '../../control-plane/insight/prometheus/families.ts'
import { prometheusRoutes } from '../../control-plane/insight/prometheus/routes.ts'
import { probeFamilies } from '../../protocol/probe-series.ts'
import { scratchFolder } from '../support/programs.ts'
import { prometheusProblem, promtool } from '../support/prometheus.ts'

const page = readFileSync(new URL('../../docs/monitoring/exporter.md', import.meta.url), 'utf8')

t.test('the table of metrics', async (t) => {
  const families = [
    ...Object.values(checkFamilies),
    ...runFamilies.values(),
    ...Object.values(locationFamilies),
    ...probeFamilies,
  ]
  const rows = page.split('\n').filter((line) => /^\| `(watchpost|probe)_/.test(line))
  const shown = rows.map((row) => {
    const [, name = '', type = '', , meaning = ''] = row.split('|').map((cell) => cell.trim())
    return { name: name.replaceAll('`', ''), type, help: meaning }
  })
  t.strictSame(
    shown,
    families.map(({ name, type, help }) => ({ name, type, help })),
  )
  for (const { name } of Object.values(standardNames)) t.ok(page.includes(`\`${name}\``), name)
})

t.test('parameters, modules and variables', async (t) => {
  const { query } = prometheusRoutes[0] as { query?: unknown }
  const { properties: parameters } = query as { properties: Record<string, { default: boolean }> }
  for (const [name, { default: value }] of Object.entries(parameters))
    t.ok(page.includes(`| \`${name}\` | ${value} |`), name)
  for (const name of probeModules.keys()) t.ok(page.includes(`\`${name}\``), name)
  for (const { name } of agentVariables.filter(({ name }) => name.startsWith('AGENT_PROBE_')))
    t.ok(page.includes(`| \`${name}\` |`), name)
})

t.test('Prometheus takes its examples', { skip: prometheusProblem() ?? false }, async (t) => {
  const folder = await scratchFolder(t)
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)
  for (const [position, text] of blocks.entries()) {
    const isRules = text.startsWith('- alert')
    const file = join(folder, `${position}.yml`)
    const rules = `groups:\n- name: x\n  rules:\n${text.replace(/^/gm, '  ')}`
    await writeFile(file, isRules ? rules : text)
    const args = isRules ? ['check', 'rules', file] : ['check', 'config', '--syntax-only', file]
    t.match(await promtool(t, args), { status: 0 }, text)
  }
  t.equal(blocks.length, 3)
})
