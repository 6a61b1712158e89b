// Runs in test:all only: releases are made, and judged by programs that are not ours.
/** A release: the same bytes from the same commit, and others can read each part of it. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { version } from '../../images/build-image.ts'
import { makeRelease } from '../../release/make-release.ts'
import { blobPath, readManifest, readNamed } from '../../release/oci-layout.ts'
import { ReleaseError, sectionOf, sourceOf } from '../../release/source-of-release.ts'
import { chartFolder, leastValues } from '../support/charts.ts'
import { hasHelm, helm, helmMajors, noHelm } from '../support/helm-program.ts'
import { scratchFolder } from '../support/programs.ts'
import { commitAll, inClone, releaseClone, withoutImages } from '../support/release-clone.ts'

t.setTimeout(300_000)
const root = fileURLToPath(new URL('../..', import.meta.url))

const clone = await releaseClone(t)
const folder = join(await scratchFolder(t), 'out')
const made = join(folder, 'first')
const order = { source: sourceOf(clone, version), choices: withoutImages, images: null, sign: null }
await makeRelease({ ...order, out: made })

const run = (program: string, args: readonly string[], cwd: string) => {
  // Where npm was called for the tests means nothing to what they start.
  const env = { ...process.env, INIT_CWD: cwd }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const read = (path: string): string => readFileSync(join(made, path), 'utf8')

t.test('twice over the same commit is the same bytes, and nothing is left beside it', async (t) => {
  await makeRelease({ ...order, out: join(folder, 'second') })
  t.equal(readFileSync(join(folder, 'second/SHA256SUMS'), 'utf8'), read('SHA256SUMS'))
  t.strictSame(readdirSync(folder).toSorted(), ['first', 'second'])
  t.equal(statSync(made).mode & 0o777, 0o777 & ~process.umask(), 'others may read it')
  await t.rejects(makeRelease({ ...order, out: made }), { message: `${made} is there already` })
})

t.test('its sums are those of sha256sum', async (t) => {
  t.match(run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], made), { status: 0, stdout: '' })
})

t.test('notes are the section of the changelog, with what the release is made of', async (t) => {
  const notes = read('RELEASE_NOTES.md')
  t.match(notes, `# Watchpost ${version}\n`)
  t.match(notes, '**Checks as code**')
  t.notMatch(notes, 'Later.')
  t.match(notes, inClone(clone, ['rev-parse', 'HEAD']).trim())
  t.equal(sectionOf('# C\n\n## [1.0.0] - 2026-01-01\n\n- a\n\n## 0.9.0\n\n- b\n', '1.0.0'), '- a')
  t.equal(sectionOf('## 1.0.0\n\n## 0.9.0\n\n- b\n', '1.0.0'), null, 'an empty section tells nothing')
  t.equal(sectionOf('## 1.0.0-rc.1\n\n- b\n', '1.0.0'), null)
})

t.test('the provenance says which commit, made how, and the digest of each part', async (t) => {
  const statement = JSON.parse(read('provenance.json'))
  t.match(statement, {
    ...{ _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://slsa.dev/provenance/v1' },
    predicate: {
      buildDefinition: {
        externalParameters: { version, images: [] },
        resolvedDependencies: [{ digest: { gitCommit: order.source.commit } }],
      },
      runDetails: { builder: { id: 'urn:watchpost:builder:by-hand', version: { node: process.version } } },
    },
  })
  const names = statement.subject.map(({ name }: { name: string }) => name)
  t.match(names, [
    'RELEASE_NOTES.md',
    `charts/watchpost-${version}.tgz`,
    `charts/watchpost-agent-${version}.tgz`,
    `npm/watchpost-${version}.tgz`,
    'sboms/watchpost-command.cdx.json',
    `watchpost/charts/watchpost-agent:${version}`,
  ])
})

t.test(
  'charts are what helm takes, and render as the folders do',
  { skip: hasHelm ? false : noHelm },
  async (t) => {
    const home = await scratchFolder(t)
    for (const [chart, name] of [
      ['agent', 'watchpost-agent'],
      ['control-plane', 'watchpost'],
    ] as const) {
      const path = join(made, `charts/${name}-${version}.tgz`)
      const values = join(home, `${chart}.json`)
      writeFileSync(
        values,
        JSON.stringify({
          ...leastValues[chart],
          ...(chart === 'agent' ? {} : { secrets: { existingSecret: 'keys' } }),
        }),
      )
      for (const major of helmMajors)
        t.match(await helm(['lint', '--strict', '--values', values, path], home, major), { code: 0 })
      t.match(await helm(['template', 'w', path, '--values', values], home, 3), { code: 0 }, 'Helm 3, too')
      const [packed, unpacked] = await Promise.all(
        [path, chartFolder(chart)].map((from) => helm(['template', 'w', from, '--values', values], home)),
      )
      t.strictSame([packed?.code, packed?.stderr], [0, ''])
      t.equal(packed?.stdout, unpacked?.stdout)
    }
  },
)

t.test('charts lie in the layout as registries keep those of helm', async (t) => {
  const layout = join(made, 'oci')
  const entry = readNamed(layout).get(`watchpost/charts/watchpost-agent:${version}`)
  if (entry === undefined) return t.fail('it is not in the index')
  const manifest = readManifest(layout, entry)
  t.match(manifest, {
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' },
    layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' }],
    annotations: { 'org.opencontainers.image.version': version },
  })
  const [layer] = manifest.layers ?? []
  t.same(
    readFileSync(join(layout, blobPath(layer!.digest))),
    readFileSync(join(made, `charts/watchpost-agent-${version}.tgz`)),
  )
})

t.test('the command is a package that runs where npm puts it', async (t) => {
  const modules = join(await scratchFolder(t), 'node_modules')
  mkdirSync(modules)
  const packed = join(made, `npm/watchpost-${version}.tgz`)
  t.match(run('tar', ['-xzf', packed], modules), { status: 0, stderr: '' })
  cpSync(join(modules, 'package'), join(modules, 'watchpost'), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(modules, 'watchpost/package.json'), 'utf8'))
  t.match(manifest, { name: 'watchpost', version, bin: { watchpost: 'command/main.js' } })
  t.ok(Object.keys(manifest.dependencies).includes('yaml'))
  const bill = JSON.parse(read('sboms/watchpost-command.cdx.json'))
  t.match(bill.metadata.component, { type: 'application', name: 'watchpost/command', version })
  const refs = Object.entries(manifest.dependencies).map(([name, of]) => `pkg:npm/${name}@${of}`)
  const purls: string[] = bill.components.map(({ purl }: { purl: string }) => purl)
  t.strictSame(
    refs.filter((ref) => !purls.includes(ref)),
    [],
  )
  t.ok(purls.length > refs.length, 'with what its packages need')
  for (const [name, wanted] of Object.entries(manifest.dependencies)) {
    t.equal(
      JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version,
      wanted,
    )
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  const program = join(modules, 'watchpost', manifest.bin.watchpost)
  writeFileSync(join(modules, 'gatus.yaml'), 'endpoints:\n  - name: shop\n    url: https://shop.example/\n')
  const imported = run(
    process.execPath,
    [program, 'import', 'gatus', 'gatus.yaml', '--out', 'own.yaml'],
    modules,
  )
  t.match(imported, { status: 0 }, imported.stderr)
  t.match(readFileSync(join(modules, 'own.yaml'), 'utf8'), /url: https:\/\/shop\.example\//)
  t.match(run(program, ['plan', '--help'], modules), { status: 0, stdout: /plan/ }, 'it is a program')
  t.notOk(existsSync(join(modules, 'watchpost/control-plane')), 'with nothing that it does not load')
})

t.test('what is in the way of a release is said, all of it', async (t) => {
  const other = await releaseClone(t)
  writeFileSync(join(other, 'note.txt'), 'left over')
  t.throws(
    () => sourceOf(other, version),
    new ReleaseError(['the clone is not as it was committed: note.txt']),
  )
  commitAll(other)
  t.equal(sourceOf(other, version).version, version)
  const problems = [
    '9.9 is no version: --version 1.2.3, or 1.2.3-rc.1',
    `package.json says ${version}, not 9.9`,
    `helm/agent/Chart.yaml says ${version}, not 9.9`,
    `helm/agent/Chart.yaml (appVersion) says ${version}, not 9.9`,
    `helm/control-plane/Chart.yaml says ${version}, not 9.9`,
    `helm/control-plane/Chart.yaml (appVersion) says ${version}, not 9.9`,
    'CHANGELOG.md has no section "## 9.9"',
  ]
  t.throws(() => sourceOf(other, '9.9'), new ReleaseError(problems))
})

t.test('the program refuses in sentences, and writes nothing', async (t) => {
  const out = join(await scratchFolder(t), 'out')
  const program = join(root, 'release/main.ts')
  const refused = (args: string[], pattern: RegExp): void => {
    const { status, stderr } = run(process.execPath, [program, ...args, '--out', out], root)
    t.equal(status, 1)
    t.match(stderr, pattern)
    t.notMatch(stderr, /\n\s+at /, 'no stack')
    t.notOk(existsSync(out))
  }
  refused([], /--version is missing/)
  refused(['--version', '99.0.0'], /CHANGELOG\.md has no section "## 99\.0\.0"/)
  refused(['--key'], /'--key' argument is ambiguous/)
  refused(['sign'], /npm run release -- verify FOLDER/)
})
