/** What people copy from docs/deploy and compose.yaml names settings, files and pages that exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { agentVariables } from '../../agent/program/agent-variables.ts'
import { controlPlaneVariables } from '../../control-plane/read-config.ts'
import { environmentPage } from '../../docs/environment-page.ts'
import { namesOfVariables } from '../../protocol/misspelt-variables.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const known = {
  'control-plane': new Set(namesOfVariables(controlPlaneVariables)),
  agent: new Set(namesOfVariables(agentVariables)),
}
/** What Node and the C library read. */
const foreign = /^(MALLOC_|NODE_)/

t.test('docs/deploy/environment.md is what the programs print', async (t) => {
  t.equal(
    read('docs/deploy/environment.md'),
    environmentPage(),
    'node docs/generate-environment.ts writes it',
  )
})

t.test('links of the pages lead somewhere', async (t) => {
  const pages = [
    ...globSync('docs/deploy/**/*.md', { cwd: root }),
    ...globSync('helm/*/README.md', { cwd: root }),
  ]
  t.ok(pages.length > 10)
  for (const page of pages)
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g))
      if (!/^https?:/.test(target)) t.ok(existsSync(join(root, dirname(page), target)), `${page}: ${target}`)
})

type Service = {
  image: string
  build?: { dockerfile: string }
  environment?: { [name: string]: string }
  volumes?: string[]
  read_only?: boolean
  cap_drop?: string[]
  mem_limit?: string
  pids_limit?: number
  security_opt?: string[]
}

t.test('compose.yaml', async (t) => {
  const { services, volumes, configs } = parse(read('compose.yaml'), { merge: true }) as {
    services: { [name: string]: Service }
    volumes: { [name: string]: null }
    configs: { prometheus: { content: string } }
  }
  for (const program of ['control-plane', 'agent'] as const) {
    const service = services[program] as Service
    for (const name of Object.keys(service.environment ?? {}))
      t.ok(known[program].has(name) || name.startsWith('AWS_'), `${program} has the setting ${name}`)
    t.ok(existsSync(join(root, service.build?.dockerfile ?? '')), 'its image can be built')
    t.equal(service.read_only, true)
    t.strictSame(service.cap_drop, ['ALL'])
  }
  for (const [name, { volumes: mounts = [], image }] of Object.entries(services)) {
    t.match(image, /:[^:]*\d/, `${name} has a version`)
    t.match(image, /^\$\{REGISTRY:-\}/, `${name} comes from the registry that is asked for`)
    t.match(image, /watchpost|@(sha256:[0-9a-f]{64}$|\$\{POSTGRES_DIGEST:-)/, `${name} is pinned`)
    t.ok(services[name]?.mem_limit, `${name} has a limit of its memory`)
    t.ok(services[name]?.pids_limit, `${name} has a limit of its processes`)
    t.strictSame(services[name]?.security_opt, ['no-new-privileges:true'], name)
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      t.ok(source.startsWith('.') ? existsSync(join(root, source)) : source in volumes, `${name}: ${mount}`)
    }
  }
  const { scrape_configs } = parse(configs.prometheus.content) as {
    scrape_configs: Array<{ static_configs: Array<{ targets: string[] }> }>
  }
  for (const { static_configs } of scrape_configs)
    for (const target of static_configs.flatMap(({ targets }) => targets))
      t.ok((target.split(':')[0] ?? '') in services, target)
})

t.test('the units of systemd', async (t) => {
  const units = globSync('docs/deploy/systemd/*.service', { cwd: root })
  t.equal(units.length, 2)
  for (const unit of units) {
    const program = unit.includes('agent') ? 'agent' : 'control-plane'
    const text = read(unit)
    for (const [, line = ''] of text.matchAll(/^Environment=(.+)$/gm))
      for (const pair of line.split(' ')) {
        const name = pair.split('=')[0] ?? ''
        t.ok(known[program].has(name) || foreign.test(name), `${program} has the setting ${name}`)
      }
    const [, entry = ''] = /^ExecStart=.* (\S+\.ts)$/m.exec(text) ?? []
    t.ok(existsSync(join(root, entry)), entry)
    for (const limit of ['MemoryMax', 'TasksMax']) t.match(text, new RegExp(`^${limit}=\\d`, 'm'), unit)
  }
  const verify = '/usr/bin/systemd-analyze'
  if (!existsSync(verify)) return
  t.equal(
    execFileSync(verify, ['verify', '--man=no', ...units.map((unit) => join(root, unit))], {
      encoding: 'utf8',
    }),
    '',
  )
  // Ten times the exposure that it finds; above it fails.
  for (const unit of units)
    execFileSync(verify, ['security', '--offline=true', '--threshold=30', '--no-pager', join(root, unit)])
})
