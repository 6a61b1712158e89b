// Runs in test:all only: it installs and upgrades charts by both majors of helm.
/**
 * The commands of docs/deploy/upgrade.md, from the packaged charts of each earlier version to those of now, against what stands for a cluster:
 * what was chosen and what was made stays, and an upgrade asks for no more.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { type ChartName, chartFolder, type Manifest } from '../support/charts.ts'
import { type HelmMajor, hasHelm, helm, noHelm } from '../support/helm-program.ts'
import { playedApiServer } from '../support/played-api-server.ts'
import { temporaryFolder } from '../support/test-agent.ts'

const options = { skip: !hasHelm && noHelm }
const fixtures = fileURLToPath(new URL('../fixtures/charts/', import.meta.url))

const packages = readdirSync(fixtures)
  .filter((name) => /^\d/.test(name))
  .flatMap((version) =>
    readdirSync(join(fixtures, version))
      .filter((name) => name.endsWith('.tgz'))
      .map((name) => ({ version, path: join(fixtures, version, name) })),
  )
const olderOf = (chart: ChartName) =>
  packages.filter(({ path }) => path.includes('watchpost-agent') === (chart === 'agent'))

/** Who installed and who upgrades: a new major of helm meets the releases of the old one. */
const ways: Array<[installs: HelmMajor, upgrades: HelmMajor]> = [
  [3, 3],
  [4, 4],
  [3, 4],
]

/** By YAML 1.1, in which 0440 is octal. */
const asKubernetesReads = (text: string): Manifest[] =>
  parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)

const clusterOf = async (t: Test) => {
  const server = await playedApiServer(t)
  const home = temporaryFolder(t)
  const run = async (major: HelmMajor, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await helm([...args, '--kube-apiserver', server.url], home, major)
    t.equal(code, 0, `Helm ${major}: ${args[0]}`, { stderr })
    return stdout
  }
  const find = (kind: string): Manifest => {
    // Helm keeps its releases in secrets, too.
    const found = [...server.objects.values()].find(
      (object) => object.kind === kind && object.metadata.labels?.['owner'] !== 'helm',
    )
    if (found === undefined) throw new Error(`there is no ${kind}`)
    return found
  }
  return { ...server, run, find }
}

for (const flag of ['--reuse-values', '--reset-then-reuse-values'])
  for (const [installs, upgrades] of ways) {
    const way = `${flag}, installed by Helm ${installs}, upgraded by Helm ${upgrades}`
    t.test(`agent: ${way}`, options, async (t) => {
      t.ok(olderOf('agent').length > 0)
      for (const { version, path } of olderOf('agent')) {
        const { run, find, objects } = await clusterOf(t)
        const chosen = {
          controlPlaneUrl: 'https://watchpost.example',
          'apiKey.existingSecret': 'agent-key',
          replicas: '3',
          'settings.JOB_CONCURRENCY': '7',
          'podLabels.team': 'sre',
        }
        const set = Object.entries(chosen).flatMap(([name, value]) => ['--set', `${name}=${value}`])
        await run(installs, 'install', 'wp', path, ...set)
        const before = find('Deployment')
        await run(upgrades, 'upgrade', 'wp', chartFolder('agent'), flag)
        const { spec } = find('Deployment')
        t.strictSame(spec.selector, before.spec.selector, `from ${version}`)
        t.equal(spec.replicas, 3)
        t.equal(spec.template.metadata.labels.team, 'sre')
        const [{ env }] = spec.template.spec.containers
        t.match(
          env.find(({ name }: { name: string }) => name === 'JOB_CONCURRENCY'),
          { value: '7' },
        )
        for (const manifest of asKubernetesReads(await run(upgrades, 'get', 'manifest', 'wp'))) {
          const live = [...objects.values()].find(
            ({ kind, metadata }) => kind === manifest.kind && metadata.name === manifest.metadata.name,
          )
          t.match(live?.spec ?? null, manifest.spec ?? null, `${manifest.kind} is as the newer chart says`)
        }
      }
    })

    t.test(`control-plane: ${way}`, options, async (t) => {
      t.ok(olderOf('control-plane').length > 0)
      for (const { version, path } of olderOf('control-plane')) {
        const { run, find } = await clusterOf(t)
        await run(installs, 'install', 'wp', path, '--set', 'baseUrl=https://watchpost.example')
        const keys = { ...find('Secret').data }
        t.ok(Object.keys(keys).length >= 3, 'keys are made in the cluster')
        const claim = find('PersistentVolumeClaim').metadata.name
        await run(upgrades, 'upgrade', 'wp', chartFolder('control-plane'), flag)
        t.match(find('Secret').data, keys, `the keys of ${version} stay`)
        t.equal(find('PersistentVolumeClaim').metadata.name, claim, 'and so does the volume')
        t.match(JSON.stringify(find('Deployment').spec), 'https://watchpost.example')
      }
    })
  }
