import t from 'tap'
import { firstReason } from '../../../../agent/browser/suite/first-reason.ts'

t.test('the first error that was told, up to its stack', async (t) => {
  const lines = [
    'Loading …',
    'SyntaxError: playwright.config.ts: Unexpected token (3:8)',
    '> 3 |   use: {{',
    '    |         ^',
    '    at instantiate (parse-error.ts:1:1)',
    'Error: a later one',
  ]
  t.equal(firstReason(lines), lines.slice(1, 4).join('\n'))
  t.equal(
    firstReason(['[WebServer] TypeError: x is not a function', 'more']),
    '[WebServer] TypeError: x is not a function\nmore',
  )
  t.equal(
    firstReason(['error An unexpected error occurred: "404"']),
    'error An unexpected error occurred: "404"',
  )
  t.equal(
    firstReason([' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install']),
    'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install',
  )
  t.equal(firstReason(['Running 3 tests', '1 failed']), null)
})

t.test("npm's sentence, without what it says around it", async (t) => {
  const lines = [
    'npm warn deprecated a@1',
    'npm error code E404',
    'npm error 404 Not Found - GET https://registry.example/words - Not found',
    'npm error 404',
    "npm error 404  'words@9.9.9' is not in this registry.",
    'npm error A complete log of this run can be found in: /logs/1.log',
  ]
  t.equal(
    firstReason(lines),
    "404 Not Found - GET https://registry.example/words - Not found\n404  'words@9.9.9' is not in this registry.",
  )
  const usage = ['no lock file', '', 'Clean install a project', '', 'Usage:', 'npm ci']
  t.equal(firstReason(usage.map((line) => `npm error ${line}`)), 'no lock file')
  t.equal(firstReason(['npm ERR! code 1', 'npm ERR! path /x', 'npm ERR! command failed']), 'command failed')
})
