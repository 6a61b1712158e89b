/** Scripts as people write them, in folders of `test/fixtures/scripts`: the first file named is the check's own. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunChange } from './browser-room.ts'

export type ExampleScript = { name: string; script: string; change: RunChange }

const folder = new URL('../fixtures/scripts/', import.meta.url)

const entries: Record<string, string> = {
  login: 'login.spec.ts',
  cart: 'cart.js',
  'api-and-ui': 'orders.spec.ts',
  'orders-api': 'orders-api.spec.ts',
  'payment-frame': 'payment.spec.ts',
  download: 'download.spec.js',
  screenshots: 'screenshots.mjs',
  'page-objects': 'checks/checkout.spec.ts',
  hooks: 'hooks.spec.ts',
  packages: 'packages.ts',
  network: 'network.spec.ts',
}

export const exampleScripts = (): ExampleScript[] =>
  readdirSync(folder).map((name) => {
    const entry = entries[name]
    if (entry === undefined) throw new Error(`nobody says which file of ${name} is the script`)
    const own = new URL(`${name}/`, folder)
    const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    const paths = files.map((file) => relative(fileURLToPath(own), join(file.parentPath, file.name)))
    const read = (path: string): string => readFileSync(new URL(path, own), 'utf8')
    const dependencies = paths.filter((path) => path !== entry).map((path) => ({ path, content: read(path) }))
    return {
      name,
      script: read(entry),
      change: {
        scriptPath: entry,
        dependencies,
        ...(name === 'orders-api' ? { checkType: 'MULTI_STEP' as const } : {}),
      },
    }
  })
