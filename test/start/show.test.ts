import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { announce, formatLogLine, signInLinkIn, welcome } from '../../start/show.ts'

const time = new Date(2026, 0, 2, 3, 4, 5).getTime()

t.test('a JSON log line is shown as time, level, program, message and fields', async (t) => {
  const line = JSON.stringify({
    level: 30,
    time,
    pid: 1,
    hostname: 'h',
    name: 'agent',
    msg: 'started',
    port: 80,
    in: 'a b',
  })
  t.equal(formatLogLine('agent', line), '03:04:05 INFO  agent  started port=80 in="a b"')
})

t.test('an error in a log line is shown with its stack', async (t) => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\nat here' }
  const line = JSON.stringify({ level: 50, time, msg: 'failed', err })
  t.equal(formatLogLine('agent', line), '03:04:05 ERROR agent  failed\n    Error: no\n    at here')
})

t.test('any other line is shown as it is', async (t) => {
  for (const line of ['plain text', '{ not json', '{"msg":"of another"}', ''])
    t.equal(formatLogLine('agent', line), `agent  ${line}`)
})

t.test('the first result is announced, other lines are not', async (t) => {
  const first = JSON.stringify({ level: 30, time, msg: 'first result', checkId: 'c-1', hasFailures: false })
  t.match(announce(first, 'http://localhost:1'), 'http://localhost:1/v2/check-results/c-1')
  t.match(announce(first, 'http://localhost:1'), 'hasFailures=false')
  t.equal(announce(JSON.stringify({ level: 30, time, msg: 'another' }), 'http://localhost:1'), '')
  t.equal(announce('first result', 'http://localhost:1'), '')
})

t.test('the printed command reads the API key, wherever the data folder is', async (t) => {
  for (const folder of ['data', "it's here", 'a "b" c'] as const) {
    const data = t.testdir({ [folder]: { 'bootstrap.json': '{"apiKey":"the-key"}' } })
    const command = /export KEY=.*/.exec(
      welcome('http://localhost:1', join(data, folder, 'bootstrap.json')),
    )?.[0]
    const shell = spawnSync('sh', ['-c', `${command}; printf %s "$KEY"`], { encoding: 'utf8' })
    t.equal(shell.stdout, 'the-key', shell.stderr)
  }
})

t.test('a first start says which link to open, a later one where the dashboard is', async (t) => {
  const link = 'http://localhost:1/sign-in/first/abc'
  const line = (msg: string) => JSON.stringify({ level: 30, time, msg })
  const found = signInLinkIn(line(`Open ${link} to sign in (good once, for 24 hours)`))
  t.equal(found, link)
  for (const other of [line('Open the door'), line(''), `Open ${link} to sign in (`])
    t.equal(signInLinkIn(other), null)
  t.match(welcome('http://localhost:1', '/data/bootstrap.json', { signInLink: found }), `    ${link}\n`)
  const later = welcome('http://localhost:1', '/data/bootstrap.json')
  t.notMatch(later, 'password')
  t.match(later, 'http://localhost:1/app')
})
