// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Scripts as users of such services write them, and the examples of docs/browser-checks.md, run as they stand in both runtimes. */
import t from 'tap'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse, leftFolders, recordsVideos } from '../../support/browser-room.ts'
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

/** What each leaves for people when it passes, beside its report. */
const filesOf: Record<string, RegExp[]> = {
  login: [/^account\.jpg$/],
  download: [/^invoice\.csv$/],
  screenshots: [/^screenshots-desktop\.png$/, /^screenshots-phone\.png$/],
  network: recordsVideos ? [/video\.webm$/] : [],
}

for (const [runtimeId, skip] of [
  ['2026.04', cannotBrowse()],
  ['2025.04', cannotBrowse() || (!hasOlder && 'the packages of runtimes/2025-04 are not installed')],
] as const)
  t.test(`scripts as people write them, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await browserRoom(t)
    const secret = { key: 'SHOP_PASSWORD', value: password, secret: true }
    const examples = [...exampleScripts(), ...documentExamples('docs/browser-checks.md')]
    t.ok(examples.length >= 15)
    const isNewest = runtimeId === '2026.04'
    const chosen = examples.filter(({ name }) => isNewest || runsIn('long') || ofEachKind.includes(name))
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
