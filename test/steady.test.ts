import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const program = fileURLToPath(new URL('steady.ts', import.meta.url))

/** Runs a file with this body in it, twice beside one busy process. */
const steady = (t: Test, body: string) => {
  const folder = t.testdir({ 'case.ts': `import t from 'tap'\n${body}\n`, seen: {} })
  const args = [program, '--runs=2', '--busy=1', join(folder, 'case.ts')]
  const { status, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, CI: '', SEEN: join(folder, 'seen') },
    encoding: 'utf8',
  })
  return { exitCode: status, lines: stdout.trimEnd().split('\n'), seen: readdirSync(join(folder, 'seen')) }
}

/** Each run leaves a file behind, and how many there are says which run it is. */
const countRuns = `import { readdirSync, writeFileSync } from 'node:fs'
  const before = readdirSync(process.env.SEEN).length
  writeFileSync(process.env.SEEN + '/' + before, '')`

t.test('all runs have passed', async (t) => {
  const { exitCode, lines, seen } = steady(t, `${countRuns}\nt.ok(1)`)
  t.equal(exitCode, 0)
  t.match(lines, [
    /^ok {3}run 1 of 2 {2}1 passed, 0 failed/,
    /^ok {3}run 2 of 2/,
    '2 of 2 runs passed beside 1 busy processes',
  ])
  t.equal(seen.length, 2)
})

t.test('one run of two that fails is shown with its reason, and fails', async (t) => {
  const { exitCode, lines } = steady(t, `${countRuns}\nt.equal(before, 0, 'it is the first')`)
  t.equal(exitCode, 1)
  t.match(lines.at(-1), '1 of 2 runs passed')
  t.ok(lines.some((line) => line.startsWith('FAIL run 2 of 2')))
  t.match(lines.join('\n'), 'it is the first')
})
