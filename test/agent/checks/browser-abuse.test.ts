// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** Scripts of browser checks that mean harm: each ends with a sentence, and the agent with all that is around it goes on. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, cannotBrowse, leftFolders, sharedRoom } from '../../support/browser-room.ts'
import { descendants } from '../../support/processes.ts'
import { shop } from '../../support/shop.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const folder = temporaryFolder(t)
process.env['TMPDIR'] = folder
letChildrenThrough()

const skip = cannotBrowse()

const room = sharedRoom(t)

t.test('scripts that mean harm', { skip }, async (t) => {
  const { run, status, io } = await room()
  const { origin } = await shop(t, 'x')
  const { layers } = await io.isolation.status()
  t.not(status.chromium, null)
  const outside = join(folder, 'outside')
  const page = "const page = await (await require('playwright').chromium.launch()).newPage()\n"
  // Memory is filled as fast as a busy machine lets it be: the time is only for what never comes to its end.
  const failed = async (
    script: string,
    wanted: RegExp,
    { deadlineMs = 240_000, says = [] }: { deadlineMs?: number; says?: readonly RegExp[] } = {},
  ): Promise<void> => {
    const { failure, detail, log } = await run(script, { deadlineMs })
    t.match(failure?.message, wanted, log)
    for (const line of says) t.match(log, line)
    t.ok(detail.resources.peakMemoryMb < 3500, `${detail.resources.peakMemoryMb} MB`)
  }
  const nothing = (script: string) => run(script).then(({ failure, log }) => t.equal(failure, null, log))

  await failed(
    'const all = []\nfor (;;) all.push(Buffer.alloc(64 * 1024 * 1024, 1))',
    /used more than its 2048 MB of memory \(measured by the agent\)/,
  )
  await failed("Buffer.alloc(8 * 1024 ** 3, 'x')", /used more than its 2048 MB of memory/)
  await failed(
    'const all = []\nfor (;;) all.push(new Array(1e5).fill(all.length + 0.5))',
    /no memory left for its objects, .* 1024 MB/,
  )
  await failed('while (1);', /its time was up after 4 s/, { deadlineMs: 6000 })
  if (layers.includes('own-uid'))
    await failed(
      `const { spawn } = require('child_process')
const code = 'for (;;) try { require("child_process").spawn(process.execPath, ["-e", process.argv[1], process.argv[1]]).on("error", () => {}) } catch {}'
spawn(process.execPath, ['-e', code, code])
setInterval(() => {}, 1000)`,
      /used more than its 2048 MB of memory|its time was up after 8 s/,
      { deadlineMs: 12_000 },
    )
  await Promise.all([
    failed(
      "const all = []\nfor (;;) all.push(require('fs').openSync(__filename))",
      /EMFILE: too many open files/,
    ),
    failed("Promise.reject(new Error('nobody cares'))\nsetTimeout(() => {}, 60_000)", /line 1: nobody cares/),
    failed(
      `const fs = require('fs')
const net = require('net')
const told = async (name, act) => { try { await act(); console.log(name, 'done') } catch ({ message }) { console.log(name, message) } }
await told('write', () => fs.writeFileSync('${outside}', 'x'))
await told('kill', () => process.kill(process.ppid, 9))
await told('look for', () => process.kill(process.ppid, 0))
await told('listen', () => new Promise((done, fail) => net.createServer().on('error', fail).listen(0, done)))
const others = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)
const read = others.filter((pid) => { try { return fs.readFileSync('/proc/' + pid + '/environ').length > 0 } catch { return false } })
throw new Error(read.length + ' of ' + (others.includes(String(process.ppid)) ? 'all' : 'its own') + ' read')`,
      layers.includes('processes') ? /line 10: 0 of its own read/ : /line 10: 0 of all read/,
      {
        says: [
          /^INFO write .*(EACCES|ENOENT)/m,
          /^INFO kill .*EPERM/m,
          /^INFO look for .*EPERM/m,
          /^INFO listen .*(EPERM|EACCES)/m,
        ],
      },
    ),
    nothing(
      "require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref()",
    ),
  ])
  t.notOk(existsSync(outside))
  await failed(`${page}await page.goto('file:///etc/passwd')`, /ERR_ACCESS_DENIED|ERR_FILE_NOT_FOUND/)
  await failed(
    "const fs = require('fs')\nconst file = fs.openSync('x', 'w')\nfor (const much = Buffer.alloc(1024 * 1024); ; ) fs.writeSync(file, much)",
    /wrote a file of more than its 300 MB|EFBIG: file too large/,
  )
  await failed(
    `${page}page.goto('${origin}/forever').catch(() => {})
const download = await page.waitForEvent('download')
await download.saveAs('much.pdf')`,
    /was stopped: it sent and received more than its 256 MB/,
  )
  await failed(
    `const context = await (await require('playwright').chromium.launch()).newContext()
for (let count = 0; count < 1000; count += 1) {
  const page = await context.newPage()
  await page.goto('${origin}/')
  await page.evaluate(() => { globalThis.held = new Uint8Array(100 * 1024 * 1024).fill(1) })
}`,
    /used more than its 2048 MB of memory/,
  )
  t.same(leftFolders(), [])
  t.same(descendants(process.pid, 'chromium-headle'), [])
  t.same(descendants(process.pid, 'node'), [])
  await nothing(`${page}await page.goto('${origin}/')\nprocess.exit(0)`)
})

const fillsTheDisk = [
  `const fs = require('fs')
const much = Buffer.alloc(10 * 1024 * 1024, 'x')
for (let count = 0; ; count += 1) {
  for (let part = 0; part < 10; part += 1) fs.appendFileSync('x' + count, much)
  await new Promise((done) => setTimeout(done, 50))
}`,
  `const fs = require('fs')
const much = Buffer.alloc(10 * 1024 * 1024, 'x')
const open = []
for (;;) {
  for (let part = 0; part < 10; part += 1) fs.appendFileSync('x', much)
  open.push(fs.openSync('x', 'r'))
  fs.unlinkSync('x')
  await new Promise((done) => setTimeout(done, 50))
}`,
]

for (const volumes of [true, false])
  t.test(
    `what a run writes has an end ${volumes ? 'that this machine can give it' : 'where agents may not mount'}`,
    { skip },
    async (t) => {
      const { run, io } = await (volumes ? room() : browserRoom(t, { volumes }))
      const { layers } = await io.isolation.status()
      const byKernel = volumes && layers.includes('disk')
      for (const script of fillsTheDisk) {
        const { failure, detail, log } = await run(script, { deadlineMs: 240_000 })
        const sentence = byKernel
          ? /^The script ran out of room for its files, which may take 1024 MB \(held by the kernel\); at line \d+.*ENOSPC/
          : /^The script was stopped: its files take more than its 1024 MB \(measured by the agent\)$/
        t.match(failure, { code: 'SCRIPT_STOPPED', message: sentence }, log)
        t.strictSame(detail.limits, {
          memory: { mb: 2048, heldBy: 'measured' },
          files: { mb: 1024, heldBy: byKernel ? 'kernel' : 'measured' },
        })
      }
      t.same(leftFolders(), [])
    },
  )
