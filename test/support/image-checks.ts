/** One check of each type by an agent in a container, at targets of this machine, and what its first result must say. */
import type { Test } from 'tap'
import { runtimes } from '../../control-plane/access/runtimes/runtimes.ts'
import { runtimeIds } from '../../protocol/runtime.ts'
import type { Targets } from './container-targets.ts'
import { type CheckResult, firstResult } from './first-result.ts'
import { leftOutOf } from './left-out.ts'

export type CheckRoom = {
  /** Of the API, from here. */
  url: string
  /** This machine, from the container. */
  host: string
  targets: Targets
}

const passes = { hasFailures: false, hasErrors: false, error: null }

/** What every agent runs. The API check has a script, in isolation. */
export const protocolChecks = async (t: Test, { url, host, targets }: CheckRoom): Promise<void> => {
  const origin = `http://${host}:${targets.http}`
  const status = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }
  const first = (path: string, check: object): Promise<CheckResult> => firstResult(t, url, path, { ...check })
  const icmp = [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '1000' }]
  const [byUrl, byApi, byTcp, byDns, byIcmp] = await Promise.all([
    first('/v1/checks/url', { request: { url: origin, assertions: [status] } }),
    first('/v1/checks/api', {
      request: { method: 'GET', url: origin, assertions: [status] },
      localSetupScript:
        "request.headers['x-by'] = require('crypto').createHash('sha256').update('a').digest('hex')",
    }),
    first('/v1/checks/tcp', {
      request: {
        ...{ hostname: host, port: targets.tcp, data: 'PING\n' },
        assertions: [
          { source: 'RESPONSE_DATA', property: '^PONG (\\d+)', comparison: 'EQUALS', target: '7' },
        ],
      },
    }),
    first('/v1/checks/dns', {
      request: {
        ...{ query: 'shop.example', recordType: 'A', nameServer: host, port: targets.dns },
        assertions: [
          { source: 'JSON_ANSWER', property: '$.Answer[*].data', comparison: 'EQUALS', target: '192.0.2.1' },
        ],
      },
    }),
    first('/v1/checks/icmp', { request: { hostname: host, pingCount: 1, assertions: icmp } }),
  ])
  for (const result of [byUrl, byApi, byTcp, byDns, byIcmp]) t.match(result, passes, result.checkType)
  t.match(byApi.apiCheckResult, {
    request: { headers: { 'x-by': /^[0-9a-f]{64}$/ } },
    response: { status: 200 },
  })
  t.match(byIcmp, { icmpCheckResult: { response: { packetsReceived: 1 } } })
}

/** Of packages that are nothing but parts: the part that scripts load. */
const partOf: Record<string, string> = { '@clerk/testing': '@clerk/testing/playwright' }
/** Its `import` looks for a file of its own tests. */
const notByImport = ['pdf-parse']

const packagesOf = (id: string): string[] => {
  const leftOut = leftOutOf(id)
  const listed = runtimes.find(({ name }) => name === id)?.dependencies ?? {}
  return Object.keys(listed)
    .filter((name) => !leftOut.includes(name))
    .map((name) => partOf[name] ?? name)
}

/** A multi-step check that loads each package of a runtime in both ways. */
export const loadsEveryPackage = async (t: Test, { url }: CheckRoom, runtimeId: string): Promise<void> => {
  const names = packagesOf(runtimeId)
  t.ok(names.length > 50)
  const script = `let loaded = 0
for (const name of ${JSON.stringify(names)}) {
  try { if (!${JSON.stringify(notByImport)}.includes(name)) await import(name) } catch (error) { console.log('import', name, error.message) }
  try { require(name) } catch (error) { console.log('require', name, error.message) }
  loaded += 1
}
console.log(loaded, 'packages')`
  const result = await firstResult(t, url, '/v1/checks/multistep', { script, runtimeId })
  t.match(result, passes)
  const { jobLog } = result['multiStepCheckResult'] as { jobLog: { msg: string }[] }
  t.same(
    jobLog.map(({ msg }) => msg),
    [`${names.length} packages`],
  )
}

const signIn = (origin: string): string => `import { test, expect } from '@playwright/test'
test.use({ video: 'on', trace: 'on' })
test('account', async ({ page }) => {
  await page.goto('${origin}/')
  await page.fill('input', 'Ann')
  await page.click('button')
  await expect(page.locator('h1')).toHaveText('Account')
})`

/** What needs the packages of scripts, a browser, or both. */
export const scriptedChecks = async (t: Test, { url, host, targets }: CheckRoom): Promise<void> => {
  const origin = `http://${host}:${targets.http}`
  const [runtimeId] = runtimeIds

  await t.test('an API check whose script loads a package', async (t) => {
    const result = await firstResult(t, url, '/v1/checks/api', {
      runtimeId,
      request: { method: 'GET', url: origin },
      localSetupScript: "request.headers['x-day'] = require('moment').utc('2026-04-01').format('YYYY-MM-DD')",
    })
    t.match(result, { ...passes, apiCheckResult: { request: { headers: { 'x-day': '2026-04-01' } } } })
  })

  await t.test('a browser check with a video', async (t) => {
    const result = await firstResult(t, url, '/v1/checks/browser', {
      runtimeId,
      script: signIn(origin),
      isThere: ({ browserCheckResult }) =>
        (browserCheckResult as { playwrightTestVideos?: string[] } | null)?.playwrightTestVideos?.length ===
        1,
    })
    t.match(result, { ...passes, browserCheckResult: { browserVersion: /^\d+\./ } })
  })

  await t.test('a Playwright suite that npm installs', async (t) => {
    const files = [
      { path: 'package.json', content: '{"name":"suite","dependencies":{"near":"file:near"}}' },
      {
        path: 'package-lock.json',
        content: JSON.stringify({
          ...{ name: 'suite', lockfileVersion: 3, requires: true },
          packages: {
            '': { name: 'suite', dependencies: { near: 'file:near' } },
            near: { version: '1.0.0' },
            'node_modules/near': { resolved: 'near', link: true },
          },
        }),
      },
      { path: 'near/package.json', content: '{"name":"near","version":"1.0.0","main":"main.js"}' },
      { path: 'near/main.js', content: "module.exports = 'of the folder'" },
      {
        path: 'a.spec.ts',
        content: `import near from 'near'\n${signIn(origin)}\ntest('near', () => expect(near).toBe('of the folder'))`,
      },
    ]
    const result = await firstResult(t, url, '/v1/checks/playwright', { files })
    t.match(
      result,
      { ...passes, playwrightCheckResult: { counts: { passed: 2 } } },
      JSON.stringify(result).slice(0, 3000),
    )
  })
}
