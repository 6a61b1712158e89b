/** Archives of Playwright projects, and how they are uploaded. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Answer, CallOptions, TestApp } from './app.ts'
import { type TarInput, tarOf } from './tar.ts'

export const project: readonly TarInput[] = [
  { path: 'package.json', content: '{"devDependencies": {"@playwright/test": "1.58.2"}}' },
  { path: 'package-lock.json', content: '{"lockfileVersion": 3}' },
  { path: 'tests', type: '5' },
  { path: 'tests/shop.spec.ts', content: "import { test } from '@playwright/test'" },
]

/** `more`: entries beside those of the project, which make it another bundle. */
export const bundleOf = (...more: TarInput[]): Buffer => gzipSync(tarOf([...project, ...more]))

export const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

export const uploadBundle = (
  plane: TestApp,
  bytes: Buffer,
  { sha256 = sha256Of(bytes), ...more }: CallOptions & { sha256?: string } = {},
): Promise<Answer> =>
  plane.call('POST', `/v1/code-bundles?sha256=${sha256}`, {
    raw: new Uint8Array(bytes),
    headers: { 'content-type': 'application/gzip' },
    ...more,
  })

/** A suite that runs where the test's agent is. */
export const newSuite = (plane: TestApp, more: Record<string, unknown>): Promise<Answer> =>
  plane.call('POST', '/v1/checks/playwright', {
    body: { name: 'suite', privateLocations: ['local'], locations: [], ...more },
  })

export const usageOfAccount = async ({ app, accountId }: TestApp): Promise<number> => {
  const [row] = await app.db.select((k) =>
    k.selectFrom('artifact_usage').select('bytes').where('owner', '=', `account ${accountId}`),
  )
  return Number(row?.bytes ?? 0)
}
