import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type Import, readSources, type Source } from './support/sources.ts'

type Manifest = Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>
const root = fileURLToPath(new URL('..', import.meta.url))
const readText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const dependenciesOf = (path: string, kind: keyof Manifest = 'dependencies'): string[] => {
  const manifest: Manifest = JSON.parse(readText(path))
  return Object.keys(manifest[kind] ?? {})
}
const shared = dependenciesOf('../package.json')

const programs = /^(agent|command|control-plane|protocol)\//
const slice = /^control-plane\/(insight|monitoring|alerting|communication|access)\//
const pure =
  /^(control-plane\/(monitoring\/schedule\/(slots|plan-slots)|alerting\/engine\/(advance|alert-rules|flapping|round-verdict))|agent\/(assertions\/.*|scrub\/(scrub|hidden-values)))\.ts$/

/** Folders, and the only things that their files may import; types of the same program are free (last column). */
const may: { from: RegExp; import: RegExp; packages: string[]; typesToo?: boolean }[] = [
  {
    from: /^protocol\/(?!networks\/|slot-id\.ts)/,
    import: /^protocol\//,
    // tiny-lru holds values in memory and does nothing else.
    packages: ['typebox', 'ajv', 'ajv-formats', 'tiny-lru'],
    typesToo: true,
  },
  // Node reads addresses and holds lists of networks in pure functions; nothing of ours would be as fast or as tried.
  { from: /^protocol\/slot-id\.ts$/, import: /^protocol\//, packages: ['node:crypto'], typesToo: true },
  { from: /^protocol\/networks\//, import: /^protocol\//, packages: ['node:net'], typesToo: true },
  {
    from: /^agent\//,
    import: /^(agent|protocol)\//,
    packages: ['node:*', ...shared, ...dependenciesOf('../agent/package.json')],
    typesToo: true,
  },
  {
    from: /^control-plane\//,
    import: /^(control-plane|protocol)\//,
    packages: ['node:*', ...shared, ...dependenciesOf('../control-plane/package.json')],
    typesToo: true,
  },
  {
    from: /^command\//,
    import: /^(command|protocol)\//,
    packages: ['node:*', 'typebox', 'yaml'],
    typesToo: true,
  },
  {
    from: pure,
    import: new RegExp(`${pure.source}|^protocol/`),
    packages: ['node:util', 'json-p3', 're2js'],
  },
]

/** Imports that are refused: `to` is a file of ours or a package. */
const never: { from: RegExp; to: RegExp; because: string }[] = [
  {
    from: /^(?!control-plane\/platform\/web\/http\/)/,
    to: /^(koa|@koa\/)/,
    because: 'Koa stays in control-plane/platform/web/http/',
  },
  {
    from: /^(agent|protocol|control-plane\/(?!platform\/store\/database\/))/,
    to: /^(pg|better-sqlite3)$/,
    because: 'drivers stay in control-plane/platform/store/database/',
  },
  {
    from: /^(control-plane\/(?!platform\/app\/)|agent\/(?!base\/metrics\.ts))/,
    to: /^prom-client$/,
    because: 'the library of metrics stays in platform/app/ and agent/base/metrics.ts',
  },
  {
    from: /^control-plane\/(monitoring\/(runs\/(?!agent-routes)|schedule\/)|alerting\/(engine\/|notifications\/(?!.*(routes?|schema)\.ts)))/,
    to: /^control-plane\/platform\/web\/http\//,
    because: 'the engine room knows no HTTP',
  },
  {
    from: /^control-plane\/monitoring\/(runs|schedule)\//,
    to: /^control-plane\/(alerting|monitoring\/watches|insight)\//,
    because: 'what follows from a run is in consequences.ts',
  },
  {
    from: /^control-plane\/platform\/store\/database\//,
    to: /^control-plane\/(?!platform\/store\/database\/)/,
    because: 'the store is at the bottom',
  },
  { from: slice, to: /^control-plane\/.+\/routes\.ts$/, because: "routes are nobody's library" },
  {
    from: /^control-plane\/.+\//,
    to: /^control-plane\/(main|admin|create-app|routes|loops|consequences)\.ts$/,
    because: 'imports never go upwards',
  },
  {
    from: /./,
    to: /^(agent\/main|command\/main|control-plane\/(main|admin))\.ts$/,
    because: 'a program is started, not imported',
  },
]

/** Words that reach clock, randomness, network or process, and the only files that may say them. */
const reaching: { word: RegExp; only: RegExp }[] = [
  {
    word: /(?<![\w.])process\.[a-z]|'node:process'/,
    // Programs of processes of their own: of those that judge, of scripts, of their launcher, and of the probe.
    only: /^(agent\/(main|judging\/program|(sandbox|browser|browser\/suite)\/child\/[\w-]+|isolation\/(enter|try)-isolation)|command\/main|control-plane\/(main|admin))\.ts$/,
  },
  {
    word: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|(?<![\w.])(setTimeout|setInterval|fetch)\(|\bMath\.random\b|\brandomUUID\b|'node:timers/,
    // until-free waits for locks of other processes inside the driver.
    only: /^(control-plane\/(create-app|main|admin|platform\/store\/database\/until-free)|command\/main|agent\/(program\/real-io|main|judging\/program|sandbox\/child\/main|browser\/(child\/seen|suite\/child\/suite-reporter)))\.ts$/,
  },
]

/** Where the control plane parses JSON: documents of the store by their codecs, and what comes from outside. */
const parsers =
  /^control-plane\/(platform\/(store\/database\/stored-doc|web\/http\/request\/json-text|words\/shapes\/cursor|services\/secrets\/generated-secrets)|admin\/reseal|alerting\/channels\/slack-app|monitoring\/results\/raw-results|insight\/root-cause-analyses\/ask-endpoint|pages\/alerts\/slack-route)\.ts$/

const sources = readSources()
const matches = (packages: string[], name: string) =>
  packages.includes(name) || (packages.includes('node:*') && name.startsWith('node:'))
const eachImport = (accept: (source: Source, target: Import) => boolean): string[] =>
  sources.flatMap((source) =>
    source.imports
      .filter((target) => accept(source, target))
      .map((target) => `${source.path} imports ${target.target}`),
  )

t.test('the source files are found and every import of ours names an existing one', async (t) => {
  const paths = new Set(sources.map(({ path }) => path))
  t.ok(sources.filter(({ path }) => programs.test(path)).length > 20)
  const missing = eachImport(
    (_, { target, isPackage }) => !isPackage && target.endsWith('.ts') && !paths.has(target),
  )
  t.strictSame(missing, [])
})

for (const rule of may)
  t.test(`${rule.from.source} imports only what it may`, async (t) => {
    const wrong = eachImport(
      ({ path }, { target, isPackage, isType }) =>
        rule.from.test(path) &&
        (rule.typesToo || !isType) &&
        (isPackage ? !matches(rule.packages, target) : !rule.import.test(target)),
    )
    t.strictSame(wrong, [])
  })

for (const rule of never)
  t.test(`${rule.because}: ${rule.from.source} never imports ${rule.to.source}`, async (t) => {
    const wrong = eachImport(
      ({ path }, { target, isPackage, isType }) =>
        programs.test(path) && (isPackage || !isType) && rule.from.test(path) && rule.to.test(target),
    )
    t.strictSame(wrong, [])
  })

/** The areas of the control plane, each above those that follow it. The files beside them are the programs. */
const areas = ['pages', 'as-code', 'insight', 'monitoring', 'alerting', 'communication', 'access', 'platform']
const floorOf = (path: string): number => {
  const [, area = ''] = /^control-plane\/([\w-]+)\//.exec(path) ?? []
  return areas.length - areas.indexOf(area)
}

t.test('imports between the areas of the control plane point down only, types included', async (t) => {
  const folders = globSync('control-plane/*/', { cwd: root }).map((path) =>
    path.slice('control-plane/'.length),
  )
  t.strictSame(
    folders.filter((name) => name !== 'admin' && name !== 'node_modules').toSorted(),
    areas.toSorted(),
  )
  const upwards = eachImport(
    ({ path }, { target, isPackage }) =>
      !isPackage &&
      path.startsWith('control-plane/') &&
      target.startsWith('control-plane/') &&
      target.endsWith('.ts') &&
      floorOf(path) < floorOf(target),
  )
  t.strictSame(upwards, [])
})

/** The rooms of the agent's network code, each above those that follow it; `agent/dns` stands beside those above `connect`. */
const rooms = ['grpc', 'http', 'evidence', 'ping', 'connect']
const roomOf = (path: string): string | null =>
  /^agent\/net\/(\w+)\//.exec(path)?.[1] ?? (path.startsWith('agent/dns/') ? 'dns' : null)
const mayEnter = (from: string, to: string): boolean => {
  if (from === to) return true
  if (from === 'dns' || to === 'dns') return from === 'dns' && to === 'connect'
  return rooms.indexOf(from) < rooms.indexOf(to)
}

t.test('the rooms of agent/net import each other in one direction, types included', async (t) => {
  const folders = globSync('agent/net/*/', { cwd: root }).map((path) => path.slice('agent/net/'.length))
  t.strictSame(folders.toSorted(), rooms.toSorted())
  const wrong = eachImport(({ path }, { target, isPackage }) => {
    const [from, to] = [roomOf(path), isPackage ? null : roomOf(target)]
    return from !== null && to !== null && !mayEnter(from, to)
  })
  t.strictSame(wrong, [])
})

t.test('App and Io are types: their composition is elsewhere', async (t) => {
  const values = eachImport(
    ({ path }, { isType }) =>
      /^(agent\/net\/io|control-plane\/platform\/app\/app)\.ts$/.test(path) && !isType,
  )
  t.strictSame(values, [])
})

t.test('App holds what most need: everything else is asked for by name', async (t) => {
  const [, members = ''] =
    /export type App = \{\n([^}]*)\n\}/.exec(readText('../control-plane/platform/app/app.ts')) ?? []
  const names = [...members.matchAll(/^ {2}(\w+)[:(]/gm)].map(([, name]) => name)
  t.strictSame(names, ['config', 'db', 'clock', 'log', 'newId'])
})

t.test('no file imports itself through others', async (t) => {
  const importsOf = new Map(
    sources.map(({ path, imports }) => [path, imports.filter((i) => !i.isType).map((i) => i.target)]),
  )
  const cycles: string[] = []
  const finished = new Set<string>()
  const visit = (path: string, trail: string[]) => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (trail.includes(path) || finished.has(path)) return
    for (const next of importsOf.get(path) ?? []) visit(next, [...trail, path])
    finished.add(path)
  }
  for (const path of importsOf.keys()) visit(path, [])
  t.strictSame(cycles, [])
})

t.test('only the composition roots touch the process, the clock, the network and randomness', async (t) => {
  const wrong = reaching.flatMap(({ word, only }) =>
    sources
      .filter(({ path, code }) => programs.test(path) && !only.test(path) && word.test(code))
      .map(({ path, code }) => `${path} says ${word.exec(code)?.[0]}`),
  )
  t.strictSame(wrong, [])
})

t.test(
  'programs that run beside code of users bring no packages: their files are copied without any',
  async (t) => {
    const byPath = new Map(sources.map((source) => [source.path, source]))
    const reached = new Set(
      sources
        .map(({ path }) => path)
        .filter((path) =>
          /^agent\/((sandbox|browser|browser\/suite)\/child\/|isolation\/(enter|try)-isolation\.ts)/.test(
            path,
          ),
        ),
    )
    t.ok(reached.size > 10)
    const packages: string[] = []
    for (const path of reached)
      for (const { target, isPackage, isType } of byPath.get(path)?.imports ?? [])
        if (!isType && isPackage && !target.startsWith('node:') && target !== 'koffi')
          packages.push(`${path} imports ${target}`)
        else if (!isType && !isPackage) reached.add(target)
    t.strictSame(packages, [])
  },
)

t.test('of node:net the protocol takes nothing but pure functions', async (t) => {
  const names = sources
    .filter(({ path }) => path.startsWith('protocol/'))
    .flatMap(({ code }) => [...code.matchAll(/import \{([^}]*)\} from 'node:net'/g)])
    .flatMap(([, list = '']) => list.split(',').map((name) => name.trim()))
  t.strictSame([...new Set(names)].toSorted(), ['BlockList', 'isIP'])
})

t.test(
  'statements do not depend on their parameters: they are compiled once, before these are known',
  async (t) => {
    const depends = /(?<![\w.])p\.\w+\s*(?:[!=]==?|\?(?!:)|&&|\|\|)|[!]p\.\w|\.\.\.p\b|(?:===|!==)\s*p\.\w/
    const statements = sources.filter(
      ({ path, code }) =>
        path.startsWith('control-plane/') && /\/(query|row-statement|scoped-query)\.ts'/.test(code),
    )
    t.ok(statements.length > 50)
    const wrong = statements.flatMap(({ path, code }) =>
      code.split('\n').flatMap((line) => (depends.test(line) ? [`${path}: ${line.trim()}`] : [])),
    )
    t.strictSame(wrong, [])
  },
)

t.test('stored documents are parsed by their codecs only', async (t) => {
  const wrong = sources.filter(
    ({ path, code }) =>
      path.startsWith('control-plane/') && /\bJSON\.parse\b/.test(code) && !parsers.test(path),
  )
  t.strictSame(
    wrong.map(({ path }) => path),
    [],
  )
})

t.test('files are small and export by name', async (t) => {
  t.strictSame(
    sources
      .filter(({ path, lineCount }) => lineCount > (path.endsWith('.test.ts') ? 500 : 300))
      .map(({ path }) => path),
    [],
    'no file has more than 300 lines, no table of test cases more than 500',
  )
  t.strictSame(
    sources.filter(({ code }) => /^export default\b/m.test(code)).map(({ path }) => path),
    // It stands in for tap, which has one.
    ['test/support/grouped-tap.ts'],
    'no default exports',
  )
})

/** What stands at the top of a file: as the code is formatted, a line that begins with a letter begins the next of them. */
const statementsOf = (code: string): string[] =>
  code.split(/^(?=[a-z])/m).map((statement) => statement.trimEnd())
const isFunction = (statement: string): boolean =>
  /^(?:export )?(?:const \w+ =\s+(?:async )?[<(]|(?:async )?function\b)/.test(statement)

t.test('functions of the programs fit a screen of 60 lines', async (t) => {
  const inHouse = sources.filter(({ path }) =>
    /^(agent\/|command\/|control-plane\/|protocol\/|start(\/|\.ts$))/.test(path),
  )
  const functions = inHouse.flatMap(({ path, code }) =>
    statementsOf(code)
      .filter(isFunction)
      .map((text) => ({ path, lines: text.split('\n') })),
  )
  t.ok(functions.length > 1000)
  t.strictSame(
    functions.filter(({ lines }) => lines.length > 60).map(({ path, lines: [first] }) => `${path}: ${first}`),
    [],
  )
})

t.test('no file of ten lines serves a single other one without a reason', async (t) => {
  const house = sources.filter(({ path }) => programs.test(path))
  const usersOf = (path: string): number =>
    house.filter(({ imports }) => imports.some(({ target }) => target === path)).length
  const lonely = house.filter(({ path, lineCount }) => lineCount <= 10 && usersOf(path) === 1)
  t.strictSame(
    lonely.map(({ path }) => path),
    [],
  )
})

t.test('few files are shorter than 15 lines: what serves a neighbour stands with it', async (t) => {
  const short = sources.filter(({ path, lineCount }) => programs.test(path) && lineCount < 15)
  for (const { path, lineCount } of short) t.comment(`${lineCount} lines: ${path}`)
  t.comment(`${short.length} files under 15 lines`)
  t.ok(short.length > 0 && short.length <= 20, 'at most 20')
})

t.test('docs/dependencies.md gives a reason for every package, and for no other', async (t) => {
  const named = [
    ...shared,
    ...dependenciesOf('../package.json', 'devDependencies'),
    ...dependenciesOf('../agent/package.json'),
    ...dependenciesOf('../control-plane/package.json'),
    ...dependenciesOf('../test/typed-client/package.json', 'devDependencies'),
  ]
  const explained = [...readText('../docs/dependencies.md').matchAll(/^- `([^`]+)`: \S.*\.$/gm)].map(
    ([, name]) => name,
  )
  t.strictSame(explained.toSorted(), named.toSorted())
})
