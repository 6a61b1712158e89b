/** What the files of the images say, without building any. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { smallProcessArguments, smallProcessEnvironment } from '../../agent/program/small-process.ts'
import { billOf } from '../../images/bill-of-materials.ts'
import { version } from '../../images/build-image.ts'
import { ownBaseOf } from '../../images/own-base.ts'
import { variants } from '../../images/variants.ts'
import { runtimeIds } from '../../protocol/runtime.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const readJson = (path: string) => JSON.parse(read(path))

for (const { name, dockerfile, fromAgent } of variants)
  t.test(`the Dockerfile of ${name}`, async (t) => {
    const text = read(dockerfile)
    t.match(text, `org.opencontainers.image.version="${version}"`, 'the version of the project')
    const [, node] = /^ARG BASE_IMAGE=node:(\d+\.\d+\.\d+)-trixie-slim@sha256:[0-9a-f]{64}$/m.exec(text) ?? []
    t.match(ownBaseOf('x64'), `:${node}-x64`, 'the Node that provision.mjs pins, by the digest of its image')
    t.notMatch(text, /https?:\/\//, 'no registry')
    if (fromAgent) return t.match(text, `ARG AGENT_IMAGE=watchpost/agent:${version}\n`)
    t.match(text, /^USER 10001:0$/m)
    t.match(text, /^HEALTHCHECK /m)
    t.match(text, /^ENTRYPOINT \["tini", "-s", "--", "node"/m)
  })

t.test('agents are started as they are measured', async (t) => {
  for (const path of ['Dockerfile.agent', 'Dockerfile.uptime']) {
    const text = read(path)
    t.match(
      text,
      `"node", ${smallProcessArguments.map((one) => JSON.stringify(one)).join(', ')}, "agent/main.ts"]`,
    )
    for (const [name, value] of Object.entries(smallProcessEnvironment))
      t.match(text, `    ${name}=${value} `)
  }
})

t.test('runtimes and the viewer of traces are those of the project', async (t) => {
  const newest = runtimeIds[0].replace('.', '-')
  t.match(read('Dockerfile.agent'), `cd runtimes/${newest} `)
  const all = readdirSync(new URL('runtimes', root)).filter((name) => /^\d/.test(name) && name !== newest)
  for (const name of all) t.match(read('images/migrate/Dockerfile'), `cd runtimes/${name} `)
  const playwright = (path: string): string => readJson(path).packages['node_modules/playwright-core'].version
  t.equal(
    playwright('images/trace-viewer/package-lock.json'),
    playwright(`runtimes/${newest}/package-lock.json`),
  )
})

t.test('lock files name no registry', async (t) => {
  for (const folder of ['tools', 'trace-viewer'])
    t.notMatch(read(`images/${folder}/package-lock.json`), /"resolved"|https?:\/\/[^"]*\.tgz/)
})

t.test('the bill of materials', async (t) => {
  const parts = {
    ...{ image: 'agent', version: '0.1.0', nodeVersion: '24.1.0', below: null },
    installed: [
      {
        path: 'node_modules/@a/b',
        name: '@a/b',
        version: '1.0.0',
        dependencies: { c: '^2.0.0', absent: '1' },
        integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}`,
        license: 'MIT',
      },
      { path: 'tools/node_modules/@a/b', name: '@a/b', version: '1.0.0' },
      { path: 'node_modules/c', name: 'c', version: '1.0.0', dependencies: { '@a/b': '1' } },
      {
        path: 'node_modules/@a/b/node_modules/c',
        name: 'c',
        version: '2.0.0',
        license: 'SEE LICENSE IN x',
      },
    ],
    debian: [
      {
        ...{ name: 'libc6', version: '2.41-12+deb13u4', architecture: 'amd64' },
        ...{ depends: 'libgcc-s1, absent (>= 1)', provides: '' },
      },
      {
        ...{ name: 'libgcc-s1', version: '14', architecture: 'amd64' },
        ...{ depends: 'none | libc-any:any (>= 2)', provides: '' },
      },
      {
        ...{ name: 'musl', version: '1', architecture: 'amd64', depends: '' },
        provides: 'libc-any (= 1)',
      },
    ],
  }
  const bill = billOf(parts)
  t.match(bill, {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, serialNumber: /^urn:uuid:[0-9a-f-]{36}$/ },
    metadata: { component: { type: 'container', name: 'watchpost/agent', version: '0.1.0' } },
  })
  t.same(
    bill.components.map(({ purl, licenses }) => [purl, licenses]),
    [
      ['pkg:deb/debian/libc6@2.41-12%2Bdeb13u4?arch=amd64', undefined],
      ['pkg:deb/debian/libgcc-s1@14?arch=amd64', undefined],
      ['pkg:deb/debian/musl@1?arch=amd64', undefined],
      ['pkg:generic/node@24.1.0', undefined],
      ['pkg:npm/%40a/b@1.0.0', [{ expression: 'MIT' }]],
      ['pkg:npm/c@1.0.0', undefined],
      ['pkg:npm/c@2.0.0', [{ license: { name: 'SEE LICENSE IN x' } }]],
    ],
  )
  const shortly = (ref: string): string => ref.replace(/^pkg:\w+\/(debian\/)?|\?.*$/g, '')
  t.same(
    bill.dependencies.map(({ ref, dependsOn }) => [shortly(ref), dependsOn.map(shortly)]),
    [
      ['watchpost-agent', ['libc6@2.41-12%2Bdeb13u4', 'node@24.1.0', 'c@1.0.0']],
      ['libc6@2.41-12%2Bdeb13u4', ['libgcc-s1@14']],
      ['libgcc-s1@14', ['musl@1']],
      ['musl@1', []],
      ['node@24.1.0', []],
      ['%40a/b@1.0.0', ['c@2.0.0']],
      ['c@1.0.0', ['%40a/b@1.0.0']],
      ['c@2.0.0', []],
    ],
    'what needs what, as it lies there, and the image what nothing else needs',
  )
  t.same(billOf(parts), bill, 'the same parts are the same bill')
  t.not(billOf({ ...parts, version: '0.2.0' }).serialNumber, bill.serialNumber)
  const above = billOf({ ...parts, installed: [], debian: [], below: bill })
  t.same(above.components, bill.components, 'what an image begins with is in it')
  t.same(above.dependencies, bill.dependencies, 'and what that needs')
})
