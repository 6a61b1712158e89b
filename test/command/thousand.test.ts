// Runs in test:all only: a thousand checks are made, one after the other's commit.
/** As many checks as large installations have: made in a few requests, each once, and then nothing is left to do. */
import t from 'tap'
import { testApp } from '../support/app.ts'
import { workplaceOf } from '../support/command-program.ts'

const count = 1000

t.test('a thousand checks need less than a minute’s requests', async (t) => {
  const plane = await testApp(t)
  const place = await workplaceOf(t, plane)
  const script = `const check = (n) => ['check-' + n, {
    checkType: 'URL',
    name: 'Check ' + n,
    groupId: '\${group.g' + (n % 20) + '}',
    request: { url: 'https://shop.example/' + n, assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] },
  }]
  const group = (n) => ['g' + n, { name: 'Group ' + n }]
  const of = (length, make) => Object.fromEntries(Array.from({ length }, (_, n) => make(n)))
  export default { groups: of(20, group), checks: of(${count}, check) }`
  await place.write({ 'watchpost.mjs': script })
  const applied = await place.run('apply', 'watchpost.mjs', '--json')
  t.match(applied.json, { created: count + 20, failed: 0 }, applied.stderr.slice(0, 1000))
  t.comment(`planned in ${applied.json.planMs} ms, applied in ${applied.json.applyMs} ms`)
  const planned = await place.run('plan', 'watchpost.mjs', '--json')
  t.match(planned.json, { hasChanges: false, unchanged: count + 20 })
  t.match(planned.stderr, /planned in [\d.]+ s/)
  t.comment(planned.stderr.trim().split('\n').at(-1) ?? '')
  const used = (await plane.call('GET', '/v1/checks?limit=1')).headers
  t.ok(Number(used.get('ratelimit-remaining')) > 500, 'lists of a hundred each')
})
