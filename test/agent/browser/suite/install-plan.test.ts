import t from 'tap'
import { installPlan, type Project, packagesKey } from '../../../../agent/browser/suite/install-plan.ts'

const manifest = (dependencies: object): string => JSON.stringify({ devDependencies: dependencies })

const project = (files: Record<string, string>, change: Partial<Project> = {}): Project => ({
  workingDir: '',
  paths: new Set(Object.keys(files)),
  manifests: new Map(Object.entries(files)),
  installCommand: null,
  runtimePackages: new Map([
    ['@playwright/test', '1.58.2'],
    ['axios', '1.13.5'],
  ]),
  ...change,
})

const other = manifest({ 'left-pad': '1.3.0' })

t.test('the lock file names the manager', async (t) => {
  const rows = [
    ['package-lock.json', 'npm', /^npm ci/],
    ['npm-shrinkwrap.json', 'npm', /^npm ci/],
    ['pnpm-lock.yaml', 'pnpm', /^pnpm install --frozen-lockfile/],
    ['yarn.lock', 'yarn', /^yarn install --frozen-lockfile/],
    ['bun.lock', 'bun', /^bun install --frozen-lockfile/],
    ['bun.lockb', 'bun', /^bun install --frozen-lockfile/],
  ] as const
  for (const [lock, manager, command] of rows) {
    t.match(installPlan(project({ 'package.json': other, [lock]: '' })), { manager, command })
    const inside = project({ 'a/b/package.json': other, [`a/${lock}`]: '' }, { workingDir: 'a/b' })
    t.match(installPlan(inside), { manager, command }, `${lock} of a workspace`)
  }
})

t.test('what the check says comes first', async (t) => {
  const files = { 'package.json': other, 'yarn.lock': '', node_modules: '' }
  t.match(installPlan(project(files, { installCommand: 'make it' })), { manager: 'yarn', command: 'make it' })
})

t.test('nothing is installed that is there', async (t) => {
  const nothing = (files: Record<string, string>) => installPlan(project(files))
  t.match(nothing({}), { command: null, why: /no package.json/ })
  t.match(nothing({ 'package.json': other, node_modules: '' }), { command: null, why: /come with it/ })
  for (const range of ['1.58.2', '^1.50.0', '~1.58.0', '*', 'v1.58.2'])
    t.match(nothing({ 'package.json': manifest({ '@playwright/test': range }) }), {
      command: null,
      why: /runtime/,
    })
  for (const range of ['1.58.1', '^1.59.0', '~1.57.0', '^2.0.0', 'latest', '>=1.0.0', 'file:../x'])
    t.match(
      nothing({ 'package.json': manifest({ '@playwright/test': range }), 'package-lock.json': '{}' }),
      { manager: 'npm' },
      range,
    )
})

t.test('what cannot be installed says why', async (t) => {
  t.match(installPlan(project({ 'package.json': other })), { problem: /left-pad.*has no lock file/ })
  t.match(installPlan(project({ 'package.json': 'no json' })), { problem: /package.json is not JSON/ })
})

t.test('packages are kept by all that they follow from', async (t) => {
  const keyed = {
    ...{ accountId: 'a', command: 'npm ci', engine: 'node@24.1.0', workingDir: '' },
    manifests: new Map([
      ['package.json', other],
      ['package-lock.json', '{}'],
    ]),
  }
  const key = packagesKey(keyed)
  t.equal(packagesKey({ ...keyed, manifests: new Map([...keyed.manifests].toReversed()) }), key)
  const changes = [
    { accountId: 'b' },
    { command: 'npm i' },
    { engine: 'node@22.0.0' },
    { workingDir: 'e2e' },
    { manifests: new Map([...keyed.manifests, ['package-lock.json', '{"a":1}']]) },
    { manifests: new Map([...keyed.manifests, ['p/package.json', '{}']]) },
  ]
  for (const change of changes) t.not(packagesKey({ ...keyed, ...change } as typeof keyed), key)
})
