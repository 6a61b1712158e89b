// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/**
 * Scripts as users of such services write them, and the examples of docs/browser-checks.md, run as they stand in both runtimes. Files of
 * tests that are only like others share one run, each in a group of its own, unless in a long run.
 */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { layoutOf } from '../../../agent/browser/layout.ts'
import { styleOf } from '../../../agent/browser/style-of.ts'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, leftFolders, recordsVideos, sharedRoom } from '../../support/browser-room.ts'
import { documentExamples } from '../../support/document-examples.ts'
import { type ExampleScript, exampleScripts } from '../../support/example-scripts.ts'
import { runsIn } from '../../support/length.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { webShop } from '../../support/web-shop.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const hasOlder = findRuntimes(ownRuntimes).some(
  (one) => one.id === '2025.04' && installedModules(one) !== null,
)
const password = 'annas-own-password'

/** What an older runtime runs when not all are run: a file of tests, a program of the library, and requests alone. */
const ofEachKind = ['login', 'cart', 'orders-api']

/** Like `login`, which runs by itself, and with requests like the example of the document. */
const likeOthers = ['api-and-ui', 'download', 'hooks', 'orders-api', 'page-objects', 'payment-frame']

/** One file of tests that has those of all, each in a folder of its own; each by itself would be one, too. */
const together = (t: Test, examples: readonly ExampleScript[]): ExampleScript => {
  const files = examples.flatMap(({ name, script, change }) => {
    const { scriptPath = 'script.ts', dependencies = [] } = change
    const layout = layoutOf({ scriptPath, dependencies, script })
    if ('problem' in layout) throw new Error(layout.problem)
    t.equal(styleOf(layout), 'test', name)
    return [...layout.files].map(([path, content]) => ({ path: join(name, path), content }))
  })
  const groups = examples.map(
    ({ name, change }) =>
      `test.describe('${name}', () => require('./${join(name, change.scriptPath ?? '')}'))`,
  )
  const script = ["const { test } = require('@playwright/test')", ...groups].join('\n')
  return {
    name: 'together',
    script,
    change: { scriptPath: 'together.spec.js', dependencies: files, deadlineMs: 240_000 },
  }
}

/** What each leaves for people when it passes, beside its report. */
const filesOf: Record<string, RegExp[]> = {
  login: [/^account\.jpg$/],
  download: [/^invoice\.csv$/],
  together: [/^invoice\.csv$/],
  screenshots: [/^screenshots-desktop\.png$/, /^screenshots-phone\.png$/],
  network: recordsVideos ? [/video\.webm$/] : [],
}

const room = sharedRoom(t)

for (const [runtimeId, skip] of [
  ['2026.04', cannotBrowse()],
  ['2025.04', cannotBrowse() || (!hasOlder && 'the packages of runtimes/2025-04 are not installed')],
] as const)
  t.test(`scripts as people write them, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const secret = { key: 'SHOP_PASSWORD', value: password, secret: true }
    const examples = [...exampleScripts(), ...documentExamples('docs/browser-checks.md')]
    t.ok(examples.length >= 15)
    const isNewest = runtimeId === '2026.04'
    const ofKinds = examples.filter(({ name }) => ofEachKind.includes(name))
    const like = examples.filter(({ name }) => likeOthers.includes(name))
    t.equal(like.length, likeOthers.length)
    const ofNewest = [together(t, like), ...examples.filter((one) => !like.includes(one))]
    const chosen = runsIn('long') ? examples : isNewest ? ofNewest : ofKinds
    const runOne = async ({ name, script, change }: ExampleScript): Promise<void> => {
      const { origin } = await webShop(t, password)
      const variables = [{ key: 'SHOP_URL', value: origin, secret: false }, secret]
      const { failure, detail, log, files } = await run(script, { ...change, variables, runtimeId })
      t.equal(failure, null, `${name}: ${log}`)
      t.equal(detail.runtimeVersion, runtimeId)
      const names = [...files.keys()].filter((file) => file !== 'report.json').toSorted()
      t.match(names, filesOf[name] ?? names, name)
      for (const bytes of files.values()) t.notOk(bytes.includes(password), name)
    }
    const waiting = chosen.values()
    await Promise.all(
      ['one', 'beside it'].map(async () => {
        for (const example of waiting) await runOne(example)
      }),
    )
    t.same(leftFolders(), [])
  })
