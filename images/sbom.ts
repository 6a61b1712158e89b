/**
 * The bill of materials of an image as CycloneDX, on standard output: `node sbom.ts <image> <folder of Debian's records>` in the
 * folder of the application. It names what is really there: the packages that npm has installed, those of Debian, and Node.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOf, type DebianRecord, type InstalledPackage } from './bill-of-materials.ts'

const [image = '', records = ''] = process.argv.slice(2)

const readInstalled = (folder: string): InstalledPackage[] => {
  const list = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return []
  const { packages } = JSON.parse(readFileSync(list, 'utf8')) as {
    packages: Record<string, Omit<InstalledPackage, 'name'> & { name?: string; link?: boolean }>
  }
  return Object.entries(packages).flatMap(([path, { link, ...entry }]) =>
    link || !path.includes('node_modules/')
      ? []
      : [{ ...entry, name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13) }],
  )
}

const readRecord = (text: string): DebianRecord => {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  return { name: field('Package'), version: field('Version'), architecture: field('Architecture') }
}

const below = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const bill = billOf({
  image,
  version,
  nodeVersion: process.version.slice(1),
  installed: ['.', ...below('runtimes'), ...below('tools')].flatMap(readInstalled),
  debian: below(records).map((path) => readRecord(readFileSync(path, 'utf8'))),
})
process.stdout.write(`${JSON.stringify(bill, null, 1)}\n`)
