import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

type Lock = { packages: Record<string, Record<string, unknown>> }
type Provision = {
  isNewEnough: (version: string) => boolean
  nodePackage: (platform: string) => { name: string; version: string; integrity: string } | undefined
  isInstalled: (wanted: Lock, installed: Lock | null, omitDev: boolean) => boolean
}
const provision: Provision = await import(new URL('../provision.mjs', import.meta.url).href)

t.test('Node 24 and newer run the programs, older ones do not', async (t) => {
  const versions = ['v18.20.4', 'v20.20.2', 'v22.9.0', 'v24.0.0', 'v24.21.0', 'v26.1.0', 'v100.0.0']
  t.strictSame(versions.filter(provision.isNewEnough), ['v24.0.0', 'v24.21.0', 'v26.1.0', 'v100.0.0'])
})

t.test('the package that carries Node is pinned for each platform', async (t) => {
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64'])
    t.match(provision.nodePackage(platform), {
      name: `node-${platform}`,
      version: /^24\.\d+\.\d+$/,
      integrity: /^sha512-[\w+/]{86}==$/,
    })
})

t.test('a platform without a package gets none', async (t) => {
  for (const platform of ['win32-x64', 'sunos-x64', 'constructor'])
    t.equal(provision.nodePackage(platform), undefined, platform)
})

const wanted: Lock = {
  packages: {
    '': { name: 'watchpost' },
    agent: { name: '@watchpost/agent' },
    'node_modules/@watchpost/agent': { link: true },
    'node_modules/koa': { version: '3.3.0', integrity: 'sha512-a' },
    'node_modules/tap': { version: '21.8.0', integrity: 'sha512-b', dev: true },
    'node_modules/only-elsewhere': { version: '1.0.0', integrity: 'sha512-c', optional: true },
  },
}
const without = (...paths: string[]): Lock => ({
  packages: Object.fromEntries(Object.entries(wanted.packages).filter(([path]) => !paths.includes(path))),
})
const changed = (path: string, entry: Record<string, unknown>): Lock => ({
  packages: { ...wanted.packages, [path]: { ...wanted.packages[path], ...entry } },
})

const cases: { name: string; installed: Lock | null; toStart: boolean; toTest: boolean }[] = [
  { name: 'nothing installed', installed: null, toStart: false, toTest: false },
  { name: 'everything installed', installed: wanted, toStart: true, toTest: true },
  { name: 'no development packages', installed: without('node_modules/tap'), toStart: true, toTest: false },
  { name: 'a package missing', installed: without('node_modules/koa'), toStart: false, toTest: false },
  {
    name: 'another platform’s package missing',
    installed: without('node_modules/only-elsewhere'),
    toStart: true,
    toTest: true,
  },
  {
    name: 'another version',
    installed: changed('node_modules/koa', { version: '3.2.0' }),
    toStart: false,
    toTest: false,
  },
  {
    name: 'the same version with other contents',
    installed: changed('node_modules/koa', { integrity: 'sha512-z' }),
    toStart: false,
    toTest: false,
  },
]
for (const { name, installed, toStart, toTest } of cases)
  t.test(
    `${name}: ${toStart ? 'enough' : 'not enough'} to start, ${toTest ? 'enough' : 'not enough'} to test`,
    async (t) => {
      t.equal(provision.isInstalled(wanted, installed, true), toStart)
      t.equal(provision.isInstalled(wanted, installed, false), toTest)
    },
  )

t.test('a runtime that has no folder is answered with those that have one', async (t) => {
  const program = fileURLToPath(new URL('../provision.mjs', import.meta.url))
  for (const args of [[], ['2022.10'], ['..'], ['2026-04', '2025-04']]) {
    const { status, stderr } = spawnSync(process.execPath, [program, 'runtime', ...args], {
      encoding: 'utf8',
    })
    t.equal(status, 1)
    t.equal(stderr, 'watchpost: usage: npm run runtime <2024-09|2025-04|2026-04>\n')
  }
})
