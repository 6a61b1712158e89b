/** What lies in the repository for whoever publishes it: workflows with the least permissions, and nothing of others without its hash. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

type Step = { uses?: string; run?: string; env?: Record<string, string> }
type Job = {
  permissions: Record<string, string>
  'timeout-minutes': number
  container: { image: string }
  steps: Step[]
}
type Workflow = { on: object; permissions: object; jobs: Record<string, Job> }

const workflows = globSync('.github/workflows/*.yml', { cwd: root })
t.strictSame(workflows.map((path) => path.replace(/^.*\//, '')).toSorted(), [
  'fuzz.yml',
  'release.yml',
  'test.yml',
])

/** The words of workflows that ours need: a misspelt one is dropped by some hosts, and said by none of these tests otherwise. */
const known = {
  workflow: ['name', 'on', 'permissions', 'concurrency', 'env', 'jobs'],
  job: [
    'name',
    'if',
    'runs-on',
    'needs',
    'environment',
    'permissions',
    'timeout-minutes',
    'container',
    'env',
    'defaults',
    'steps',
  ],
  step: ['name', 'if', 'uses', 'with', 'run', 'env', 'shell', 'working-directory'],
}
const unknown = (level: keyof typeof known, given: object): string[] =>
  Object.keys(given).filter((name) => !known[level].includes(name))

/** What a job may, beyond reading the code. */
const mayWrite: Record<string, Record<string, string>> = { release: { contents: 'write' } }

for (const path of workflows)
  t.test(path, async (t) => {
    const text = read(path)
    const { on, permissions, jobs }: Workflow = parse(text)
    t.strictSame(unknown('workflow', parse(text)), [])
    t.strictSame(permissions, {}, 'nothing is permitted but what a job asks for')
    t.notOk(Object.keys(on).includes('pull_request_target'), "no code of others with the repository's rights")
    t.notMatch(text, /https?:\/\/|\b[\w-]+\.(com|io|org|dev)\b/, 'no name of a host')
    const [image = ''] = /^ARG BASE_IMAGE=(\S+)$/m.exec(read('Dockerfile.uptime'))?.slice(1) ?? []
    for (const [name, job] of Object.entries(jobs)) {
      t.strictSame(job.permissions, mayWrite[name] ?? { contents: 'read' })
      t.ok(job['timeout-minutes'] > 0)
      t.strictSame(unknown('job', job), [], name)
      t.strictSame(
        job.steps.flatMap((step) => unknown('step', step)),
        [],
        name,
      )
      t.equal(job.container.image, image, 'the base of our images, by its digest')
      for (const { uses, run = '' } of job.steps) {
        if (uses !== undefined) t.match(uses, /^[\w./-]+@[0-9a-f]{40}$/, 'actions by their hash')
        t.notMatch(run, /\$\{\{/, 'a command takes what others wrote from its environment')
        for (const [, script = ''] of run.matchAll(/npm run ([\w:-]+)/g)) t.ok(scripts[script], script)
        for (const [file] of run.matchAll(/(?<=^|\s)(\.ci|release)\/[\w.]+/gm))
          t.ok(existsSync(join(root, file.trim())), file)
      }
    }
  })

t.test(
  'newer packages are asked for wherever packages are locked, but where they are a contract',
  async (t) => {
    const { version, updates } = parse(read('.github/dependabot.yml'))
    t.equal(version, 2)
    const npm = updates.find((one: { 'package-ecosystem': string }) => one['package-ecosystem'] === 'npm')
    const locked = globSync('**/package-lock.json', {
      cwd: root,
      exclude: ['**/node_modules', '.node', 'dist', '.git'],
    })
      .map((path) => `/${path.replace(/\/?package-lock\.json$/, '')}`)
      .filter((path) => !/^\/(runtimes|test)\//.test(path))
    t.strictSame([...npm.directories].toSorted(), locked.toSorted())
    const docker = updates.find(
      (one: { 'package-ecosystem': string }) => one['package-ecosystem'] === 'docker',
    )
    const files = globSync(['Dockerfile*', 'images/*/Dockerfile'], { cwd: root })
    const folders = files.map((path) => `/${path.replace(/\/?Dockerfile[^/]*$/, '')}`)
    t.strictSame([...docker.directories].toSorted(), [...new Set(folders)].toSorted())
  },
)

t.test('security-insights.yml has what its schema requires, and names files that exist', async (t) => {
  const text = read('security-insights.yml')
  const { header, project, repository } = parse(text)
  t.match(header, {
    'schema-version': /^2\.\d+\.\d+$/,
    'last-updated': /^\d{4}-\d\d-\d\d$/,
    'last-reviewed': /^\d{4}-\d\d-\d\d$/,
    url: /^https:/,
  })
  t.match(project, {
    name: 'Watchpost',
    administrators: [{ name: String, primary: true }],
    repositories: [{ name: String, url: /^https:/, comment: String }],
    'vulnerability-reporting': { 'reports-accepted': true, 'bug-bounty-available': false },
  })
  t.match(repository, {
    ...{ status: 'active', url: /^https:/, 'core-team': [{ name: String, primary: true }] },
    ...{ 'accepts-change-request': Boolean, 'accepts-automated-change-request': Boolean },
    license: { url: /^https:/, expression: JSON.parse(read('package.json')).license },
    release: { 'automated-pipeline': true, 'distribution-points': [{ uri: String, comment: String }] },
    security: { assessments: { self: { comment: String } } },
  })
  const named = [...text.matchAll(/\/blob\/main\/(\S+)/g)].map(([, path = '']) => path)
  t.ok(named.length > 5)
  t.strictSame(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  )
})
