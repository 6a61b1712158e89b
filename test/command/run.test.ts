/** The step of a pipeline: checks of files are run by a real agent, told as they end, and a failing one fails the step. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { workplaceOf } from '../support/command-program.ts'
import { journeyPrograms } from '../support/journey-programs.ts'
import { apiKey } from '../support/programs.ts'
import { answering, closedPort } from '../support/servers.ts'

t.test('run tells, writes JUnit and Markdown, and fails when a check does', async (t) => {
  const { url } = await journeyPrograms(t, { browsers: false })
  const place = await workplaceOf(t, { url, apiKey })
  const { port } = await answering(t, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  const closed = await closedPort()
  const check = (name: string, tag: string, to: number) =>
    `{ checkType: TCP, name: ${JSON.stringify(name)}, tags: [smoke, ${tag}], privateLocations: [local], request: { hostname: 127.0.0.1, port: ${to} } }`
  await place.write({
    'watchpost.yaml': `checks:\n  good: ${check('Good & <well>', 'good', port)}\n  bad: ${check('Bad | port', 'bad', closed)}\n`,
  })
  t.equal((await place.run('apply')).exitCode, 0)

  const passed = await place.run('run', '--tag', 'smoke,good', '--json')
  t.equal(passed.exitCode, 0, passed.stderr)
  t.match(passed.json, {
    passed: 1,
    failed: 0,
    checks: [{ name: 'Good & <well>', status: 'PASSED', link: /^http/ }],
  })

  const failed = await place.run('run', '--tag', 'smoke', '--junit', 'junit.xml', '--summary', 'summary.md')
  t.equal(failed.exitCode, 1)
  t.match(failed.stdout, /✓ Good & <well> \(TCP\)/)
  t.match(failed.stdout, /✗ Bad \| port \(TCP\) .*\n {4}local: .*refused the connection.*\n {4}http/)
  t.match(failed.stdout, /1 passed, 1 failed in/)
  const junit = await readFile(join(place.folder, 'junit.xml'), 'utf8')
  t.match(junit, '<testsuites name="Watchpost" tests="2" failures="1" errors="0" skipped="0"')
  t.match(junit, '<testcase classname="TCP" name="Good &#38; &#60;well&#62;"')
  t.match(junit, /<failure message="local: .*refused the connection/)
  const summary = await readFile(join(place.folder, 'summary.md'), 'utf8')
  t.match(summary, '**1 of 2 checks failed**')
  t.match(summary, '[Bad \\| port](http')

  const none = await place.run('run', '--tag', 'nobody')
  t.match(
    { exitCode: none.exitCode, stderr: none.stderr },
    { exitCode: 1, stderr: 'no active check matches' },
  )
  t.match((await place.run('run')).stderr, 'say which checks')
})
