import t from 'tap'
import {
  bundleKey,
  installPlan,
  type Project,
  packagesKey,
} from '../../../../agent/browser/suite/install-plan.ts'

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

t.test('packages from git are refused before an install fails', async (t) => {
  const sha = '0123456789abcdef0123456789abcdef01234567'
  const npm = (resolved: string) =>
    JSON.stringify({ packages: { 'node_modules/left-pad': { version: '1.3.0', resolved } } })
  const locks: [name: string, lock: string][] = [
    ['package-lock.json', npm(`git+ssh://git@example.com/a/left-pad.git#${sha}`)],
    ['npm-shrinkwrap.json', npm(`git+https://example.com/a/left-pad.git#${sha}`)],
    ['yarn.lock', `left-pad@a/left-pad:\n  resolved "git+ssh://git@example.com/a/left-pad.git#${sha}"\n`],
    ['pnpm-lock.yaml', `    resolution: {commit: ${sha}, repo: git@example.com:a/left-pad.git, type: git}\n`],
    ['bun.lock', `["left-pad@git+ssh://git@example.com/a/left-pad.git", {}]`],
  ]
  for (const [name, lock] of locks)
    t.match(
      installPlan(project({ 'package.json': other, [name]: lock })),
      { problem: /needs a package from git \(.*example\.com.*npm pack/ },
      name,
    )
  const archive = npm('https://codeload.example.com/a/left-pad/tar.gz/0123')
  t.match(installPlan(project({ 'package.json': other, 'package-lock.json': archive })), { manager: 'npm' })
  const own = { installCommand: 'npm ci' }
  t.match(installPlan(project({ 'package.json': other, 'yarn.lock': 'git://x/y' }, own)), {
    command: 'npm ci',
  })
})

t.test('packages are kept by all that an install can read', async (t) => {
  const job = {
    ...{ accountId: 'a', checkId: 'c' },
    variables: { TOKEN: 't', OTHER: 'o', CHECK_RUN_ID: '1', CHECK_RESULT_ID: 'r' },
    spec: {
      bundle: { id: 'b', bytes: 1, sha256: 'ab' },
      files: [
        { path: 'package.json', content: other },
        { path: 'a.js', content: '1' },
      ],
    },
  }
  const keyed = { job, command: 'npm ci', engine: 'node@24.1.0', workingDir: '' }
  const key = packagesKey(keyed)
  const withSpec = (change: object) => ({ job: { ...job, spec: { ...job.spec, ...change } } })
  const withVariables = (change: object) => ({ job: { ...job, variables: { ...job.variables, ...change } } })
  const same = [
    withSpec({ files: job.spec.files.toReversed() }),
    withSpec({ bundle: { ...job.spec.bundle, id: 'uploaded again' } }),
    withVariables({ CHECK_RUN_ID: '2', CHECK_RESULT_ID: 's' }),
  ]
  for (const change of same) t.equal(packagesKey({ ...keyed, ...change }), key, JSON.stringify(change))
  const others = [
    { job: { ...job, accountId: 'b' } },
    { job: { ...job, checkId: 'd' } },
    ...[{ command: 'npm i' }, { engine: 'node@22.0.0' }, { workingDir: 'e2e' }],
    ...[withVariables({ TOKEN: 'u' }), withVariables({ MORE: '' })],
    withSpec({ bundle: { ...job.spec.bundle, sha256: 'cd' } }),
    withSpec({ files: [...job.spec.files, { path: 'setup.js', content: '' }] }),
    withSpec({ files: job.spec.files.map((file) => ({ ...file, content: `${file.content} ` })) }),
  ]
  for (const change of others) t.not(packagesKey({ ...keyed, ...change }), key, JSON.stringify(change))
  t.not(bundleKey('a', job.spec.bundle), bundleKey('b', job.spec.bundle), 'archives are per account, too')
})
