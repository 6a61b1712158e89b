// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Suites whose commands lay traps for the agent, which reads and keeps what they leave. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, leftFolders } from '../../support/browser-room.ts'
import { sharedSuiteRoom, suiteRoom } from '../../support/suite-room.ts'
import { tarOf } from '../../support/tar.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse()
const sharedRoom = sharedSuiteRoom(t)
const canary = 'canary-of-another-account'

/** What the folder of another run looks like, in the same place, and readable for the agent alone. */
const otherRun = (t: Test): string => {
  const project = join(temporaryFolder(t), 'watchpost-script-other', 'tmp', 'suite')
  for (const name of ['node_modules/secret/index.js', 'inside/node_modules/secret/index.js']) {
    mkdirSync(dirname(join(project, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(project, name), canary, { mode: 0o600 })
  }
  chmodSync(project, 0o700)
  return project
}

const files = [
  { path: 'package.json', content: '{"name":"suite","dependencies":{"secret":"1.0.0"}}' },
  { path: 'package-lock.json', content: '{}' },
  { path: 'inside/package.json', content: '{"name":"inside"}' },
]

/** Whether any file below has the word. */
const holds = (folder: string, word: string): boolean =>
  globSync('**/*', { cwd: folder }).some((name) => {
    const path = join(folder, name)
    return statSync(path).isFile() && readFileSync(path).includes(word)
  })

t.test('no link in the place of a folder lets a suite read another run', { skip }, async (t) => {
  const victim = otherRun(t)
  const traps = {
    'the project': `cd .. && mv suite gone && ln -s ${victim} suite`,
    'a folder of the project': `mv inside gone && ln -s ${victim}/inside inside`,
    'the packages': `ln -s ${victim}/node_modules node_modules`,
    'what the agent collects': `mkdir -p node_modules ../output && ln -s ${victim}/node_modules/secret ../output/x && ln -s ${victim}/node_modules/secret/index.js ../output/x.txt`,
    'the reports': `mkdir node_modules && ln -s ${victim} ../seen && ln -s ${victim}/node_modules/secret/index.js ../suite-state.json`,
  }
  const testCommand =
    'find -L . .. -name index.js -exec cat {} + ; cat node_modules/secret/* inside/node_modules/secret/*; exit 3'
  let read = 0
  const { attempt, cacheFolder } = await sharedRoom()
  for (const [name, installCommand] of Object.entries(traps)) {
    const shown: string[] = []
    for (const _ of ['installs', 'uses what was kept']) {
      const {
        outcome,
        log,
        files: left,
      } = await attempt({ files, installCommand, testCommand, job: { checkId: name } })
      t.equal(outcome.kind, 'observed', `${name}: it is no fault of the agent`)
      shown.push(JSON.stringify([outcome, log]), ...[...left.values()].map(String))
    }
    if (
      shown.some((text) => text.includes(canary)) ||
      (existsSync(cacheFolder) && holds(cacheFolder, canary))
    )
      read += 1
    t.notMatch(shown.join('\n'), canary, name)
    t.notOk(existsSync(cacheFolder) && holds(cacheFolder, canary), `${name}: nothing of it is kept`)
  }
  t.comment(`${read} of ${Object.keys(traps).length} links were followed`)
  t.ok(holds(victim, canary), 'and nothing of the other run is removed')
  t.same(leftFolders(), [])
})

t.test('what a script of one check wrote no other check runs, nor the next bundle', { skip }, async (t) => {
  const room = await sharedRoom()
  const bundleWith = (id: string, word: string) =>
    room.bundle(
      id,
      gzipSync(
        tarOf([
          { path: 'package.json', content: '{"name":"suite","dependencies":{"word":"1.0.0"}}' },
          { path: 'package-lock.json', content: '{}' },
          { path: 'word.txt', content: word },
          {
            path: 'setup.sh',
            content: 'mkdir -p node_modules made; cp word.txt node_modules/; cp word.txt made/',
          },
        ]),
      ),
    )
  const commands = {
    installCommand: 'sh setup.sh',
    testCommand: 'echo "it is $(cat node_modules/word.txt made/word.txt | tr -d "\\n")"',
  }
  const run = async (bundle: ReturnType<typeof bundleWith>, checkId: string, accountId = 'one') => {
    const { detail, log, failure } = await room.run({ ...commands, bundle, job: { checkId, accountId } })
    t.equal(failure, null, log)
    return [detail.install?.cache, /it is (\w+)/.exec(log)?.[1]]
  }
  const [first, next] = [bundleWith('b1', 'old'), bundleWith('b2', 'new')]
  t.same(await run(first, 'a'), ['saved', 'oldold'])
  t.same(await run(first, 'a'), ['hit', 'oldold'], 'with what the command wrote beside its packages')
  t.same(await run(next, 'a'), ['saved', 'newnew'], 'another file of the bundle')
  t.same(await run(first, 'b'), ['saved', 'oldold'], 'another check')
  t.same(await run(first, 'a', 'two'), ['saved', 'oldold'], 'another account')
  t.same(await run(first, 'a'), ['hit', 'oldold'])
  t.same(room.fetched, ['b1', 'b2', 'b1'], 'archives are kept for an account')
})

t.test(
  'a suite sees no process of another, and command lines do not name its folder',
  { skip },
  async (t) => {
    const { run, io } = await sharedRoom()
    const { layers } = await io.isolation.status()
    const foreign = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'of-another-run'])
    t.teardown(() => foreign.kill())
    const content = `const { readdirSync, readFileSync } = require('fs')
const { test } = require('@playwright/test')
test('looks about', async ({ page }) => {
  await page.setContent('<p>word</p>')
  const lines = readdirSync('/proc').filter((name) => Number(name) > 0).flatMap((name) => {
    try { return [readFileSync('/proc/' + name + '/cmdline', 'utf8').replaceAll('\\0', ' ')] } catch { return [] }
  })
  const count = (...words) => lines.filter((line) => words.every((word) => line.includes(word))).length
  console.log('browsers: ' + count('headless'), 'leaders: ' + count('suite-main'), 'foreign: ' + count('of-another-run'))
  console.log('named: ' + count('suite-main', 'watchpost-script-') + ' ' + count('headless', 'watchpost-script-'))
})`
    const { failure, log } = await run({ files: [{ path: 'a.spec.js', content }] })
    t.equal(failure, null, log)
    t.match(log, /browsers: [1-9]\d* leaders: 1/, 'its own are there')
    if (layers.includes('processes')) t.match(log, /foreign: 0/)
    t.match(log, /named: 0 0/)
  },
)

for (const volumes of [true, false])
  t.test(
    `the files of a suite have a limit, in both stages${volumes ? '' : ', where agents may not mount'}`,
    { skip },
    async (t) => {
      const { run, io } = await (volumes ? sharedRoom() : suiteRoom(t, { volumes }))
      const byKernel = volumes && (await io.isolation.status()).layers.includes('disk')
      const fill = `i=0; while [ $i -lt 15 ]; do fallocate -l 290M f$i || exit 4; i=$((i+1)); done; sleep 600`
      const sentence = byKernel
        ? /^The (install|test) command ran out of room for its files, which may take 4096 MB \(held by the kernel\)$/
        : /^The (install|test) command was stopped: its files take more than its 4096 MB \(measured by the agent\)$/
      const installing = await run({ files, installCommand: fill })
      t.match(installing.failure, { code: 'INSTALL_STOPPED', message: sentence }, installing.log)
      const testing = await run({ files: [], testCommand: fill })
      t.match(testing.failure, { code: 'SUITE_STOPPED', message: sentence }, testing.log)
      t.same(leftFolders(), [])
    },
  )
