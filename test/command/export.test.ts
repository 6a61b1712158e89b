/** What is there becomes a file which, applied, changes nothing; editors get its schema, and TypeScript its types. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../protocol/validate.ts'
import { testApp } from '../support/app.ts'
import { bundleOf, uploadBundle } from '../support/bundles.ts'
import { sdkSuite } from '../support/client-check-bodies.ts'
import { workplaceOf } from '../support/command-program.ts'

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

const made: [path: string, body: Record<string, unknown>][] = [
  ['/v1/variables', { key: 'SHOP_URL', value: 'https://shop.example' }],
  ['/v1/variables', { key: 'TOKEN', value: 'a secret', secret: true }],
  ['/v1/alert-channels', { type: 'EMAIL', config: { address: 'ops@shop.example' } }],
  ['/v1/snippets', { name: 'Log in', script: `const a = \`\${process.env.A}\`` }],
  ['/v1/check-groups', { name: 'Shop & more', tags: ['shop'] }],
  ['/v1/status-pages/services', { name: 'Checkout' }],
]

t.test('export, then apply with --adopt: one change of keys, and then none', async (t) => {
  const plane = await testApp(t)
  for (const [path, body] of made) t.equal((await plane.call('POST', path, { body })).status, 201)
  const [group] = (await plane.call('GET', '/v1/check-groups')).body
  const [channel] = (await plane.call('GET', '/v1/alert-channels')).body
  const [service] = (await plane.call('GET', '/v1/status-pages/services')).body.entries
  const check = {
    name: 'Home',
    groupId: group.id,
    request: { url: 'https://shop.example/' },
    alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
  }
  for (const name of ['Home', 'home'])
    await plane.call('POST', '/v1/checks/url', { body: { ...check, name } })
  await plane.call('POST', '/v1/checks/browser', { body: { name: 'Browser', script: `const a = \`\${1}\`` } })
  const codeBundlePath = (await uploadBundle(plane, bundleOf())).body.id
  const suite = { ...sdkSuite, codeBundlePath }
  t.equal((await plane.call('POST', '/v1/checks/playwright', { body: suite })).status, 201)
  const page = { name: 'Shop', url: 'shop', cards: [{ name: 'Shop', services: [{ id: service.id }] }] }
  t.equal((await plane.call('POST', '/v1/status-pages', { body: page })).status, 201)

  const place = await workplaceOf(t, { ...plane, env: { VARIABLE_TOKEN: 'a secret' } })
  const exported = await place.run('export', '--project', 'shop', '--out', 'watchpost.yaml')
  t.equal(exported.exitCode, 0, exported.stderr)
  const text = await readFile(join(place.folder, 'watchpost.yaml'), 'utf8')
  t.match(text, `value: \${env.VARIABLE_TOKEN}`)
  t.match(parse(text), {
    checks: {
      Home: {
        groupId: `\${group.Shop-more}`,
        alertChannelSubscriptions: [{ alertChannelId: `\${channel.EMAIL-ops-shop.example}` }],
      },
      'home-2': { name: 'home' },
      E2E: { codeBundleId: codeBundlePath, engine: 'node', engineVersion: '24', browsers: sdkSuite.browsers },
    },
  })
  t.notMatch(text, 'codeBundlePath', 'one name of it is enough')
  const adopted = await place.run('apply', '--adopt', '--json')
  t.match(adopted.json, { created: 0, deleted: 0, failed: 0 }, adopted.stderr)
  const planned = await place.run('plan', '--detailed-exitcode')
  t.equal(planned.exitCode, 0, planned.stdout)
  await place.write({ 'watchpost.yaml': text.replace('codeBundleId', 'codeBundlePath') })
  const byOtherName = await place.run('plan', '--detailed-exitcode')
  t.match(byOtherName, { exitCode: 0 }, `a bundle by its other name: ${byOtherName.stdout}`)
  const [snippet] = (await plane.call('GET', '/v1/snippets')).body
  t.equal(snippet.script, `const a = \`\${process.env.A}\``)

  const schema = await place.run('schema')
  const checked = compile(JSON.parse(schema.stdout))(parse(text))
  t.strictSame(checked.ok ? [] : checked.violations, [])
  const wrong = compile(JSON.parse(schema.stdout))({ checks: { a: { checkType: 'URL', name: 'a' } } })
  t.match(wrong, { ok: false, violations: [{ path: 'checks.a.request', rule: 'required' }] })
})

t.test('the types hold what a file in TypeScript says', async (t) => {
  const plane = await testApp(t)
  const place = await workplaceOf(t, plane)
  const { stdout } = await place.run('schema', '--types')
  const good = `{ checks: { a: { checkType: 'URL', name: 'a', request: { url: 'https://a' }, groupId: '\${group.b}' } } }`
  const head = "import type { Watchpost } from './watchpost.d.ts'\nexport default "
  await place.write({
    'watchpost.d.ts': stdout,
    'good.ts': `${head}${good} satisfies Watchpost\n`,
    'bad.ts': `${head}${good.replace("name: 'a'", 'name: 1')} satisfies Watchpost\n`,
  })
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--singleThreaded',
  ]
  const words = [tsc, ...options, 'good.ts', 'bad.ts']
  const told = spawnSync(process.execPath, words, { cwd: place.folder, encoding: 'utf8' }).stdout
  t.match(told, "Type 'number' is not assignable to type 'string'")
  t.strictSame(
    [...told.matchAll(/^(\S+)\(\d/gm)].map(([, file]) => file),
    ['bad.ts'],
    'and nothing else',
  )
})
