/** What `.ci/run` makes of its two steps, with programs in the place of npm and of all that installs. */
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const script = fileURLToPath(new URL('../.ci/run', import.meta.url))
const realPrograms = [
  'bash',
  'env',
  'mktemp',
  'rm',
  'tee',
  'tail',
  'dirname',
  'cp',
  'mkdir',
  'grep',
  'seq',
  'sleep',
]

type Step = { prints: string; exitCode?: number }

/** Runs it where everything is installed already; `npm test` and `npm run test:all` do as they are told. */
const ciRun = (t: Test, first: Step, all: Step, more: Record<string, string> = {}) => {
  const folder = t.testdir({ '.ci': {}, bin: {}, test: { 'object-store.txt': '' } })
  const bin = join(folder, 'bin')
  for (const name of realPrograms) {
    // Of the system, whatever few programs the caller's PATH has.
    const PATH = `${process.env['PATH']}:/usr/bin:/bin`
    const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { env: { PATH }, encoding: 'utf8' })
    symlinkSync(stdout.trim(), join(bin, name))
  }
  const programs = {
    npm: `echo "$* CI=$CI" >> ${folder}/asked
      if [ "$1" = test ]; then echo "${first.prints}"; exit ${first.exitCode ?? 0}; fi
      echo "${all.prints}"; exit ${all.exitCode ?? 0}`,
    node: `echo "node $*" >> ${folder}/asked`,
    python3: 'mkdir -p .node/object-store',
    // PostgreSQL 17 is there, and nothing else is.
    cmp: 'case "$*" in *postgres-17*) exit 0;; esac; exit 1',
    'dpkg-query': 'echo install ok installed',
    id: 'echo 1000',
    ...more,
  }
  for (const [name, body] of Object.entries({ ...programs, run: '' })) {
    const path = name === 'run' ? join(folder, '.ci/run') : join(bin, name)
    writeFileSync(path, name === 'run' ? readFileSync(script) : `#!/bin/sh\n${body}\n`)
    chmodSync(path, 0o755)
  }
  const env = { PATH: bin, CI: 'true', RUNTIMES: '2026-04' }
  const { status, stdout } = spawnSync(join(folder, '.ci/run'), { env, encoding: 'utf8' })
  const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  return { exitCode: status, lastLine: stdout.trimEnd().split('\n').at(-1), asked }
}

t.test(
  'first the bare clone, where skips may be, then everything; the count is that of everything',
  async (t) => {
    const run = ciRun(
      t,
      { prints: '10 passed, 0 failed, 3 skipped' },
      { prints: '25 passed, 0 failed, 1 skipped' },
    )
    t.match(run, { exitCode: 0, lastLine: '25 passed, 0 failed, 1 skipped' })
    const [, told] = /--tell-passed=(\S+)/.exec(run.asked[0] ?? '') ?? []
    t.strictSame(run.asked, [
      `test --silent -- --tell-passed=${told} CI=`,
      'node provision.mjs runtime 2026-04',
      `run test:all --silent -- --passed-before=${told} CI=true`,
    ])
  },
)

/** Waits until `command` succeeds, as long as a slow machine needs. */
const awaits = (command: string) => `for n in $(seq 1 2000); do ${command} && exit 0; sleep 0.1; done; exit 1`

t.test('images are built beside the tests, and those that need them are told when they are', async (t) => {
  const count = { prints: '10 passed, 0 failed' }
  for (const built of [0, 1]) {
    const programs = {
      id: 'echo 0',
      podman: '',
      mmdebstrap: '',
      umount: '',
      nice: 'shift 2; exec "$@"',
      node: `case "$*" in *" images "*) (${awaits('grep -q test:all asked')}) && exit ${built};; esac`,
      npm: `echo "$*" >> asked
        [ "$1" = test ] || (${awaits('[ -e "$WATCHPOST_IMAGES_BUILT" ]')}) || exit 1
        echo "${count.prints}"`,
    }
    t.match(ciRun(t, count, count, programs), { exitCode: 0, lastLine: count.prints })
  }
})

t.test('what fails in either step fails, and is counted', async (t) => {
  const good = { prints: '10 passed, 0 failed' }
  const bad = { prints: '9 passed, 2 failed', exitCode: 1 }
  t.match(ciRun(t, bad, good), { exitCode: 1, lastLine: '10 passed, 2 failed' })
  t.match(ciRun(t, good, bad), { exitCode: 1, lastLine: '9 passed, 2 failed' })
  t.match(ciRun(t, bad, bad), { exitCode: 1, lastLine: '9 passed, 4 failed' })
})

t.test('a step that ends without a count has failed', async (t) => {
  const good = { prints: '10 passed, 0 failed' }
  const broken = { prints: 'no npm registry', exitCode: 1 }
  t.match(ciRun(t, broken, good), { exitCode: 1, lastLine: '10 passed, 1 failed' })
  t.match(ciRun(t, good, broken), { exitCode: 1, lastLine: '0 passed, 1 failed' })
})
