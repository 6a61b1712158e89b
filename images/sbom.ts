/**
 * The bill of materials of an image as CycloneDX, on standard output: `node sbom.ts <image> <folder of Debian's records>
 * [bill of the image below]` in the folder of the application. It names what is really there: packages that npm has installed, those of
 * Debian, and Node.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOf, type DebianRecord, type InstalledPackage } from './bill-of-materials.ts'

const [image = '', records = '', below = ''] = process.argv.slice(2)

const readInstalled = (folder: string): InstalledPackage[] => {
  const list = join(folder, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return []
  const { packages } = JSON.parse(readFileSync(list, 'utf8')) as {
    packages: Record<string, Omit<InstalledPackage, 'name' | 'path'> & { name?: string; link?: boolean }>
  }
  return Object.entries(packages).flatMap(([path, { link, ...entry }]) =>
    link || !path.includes('node_modules/')
      ? []
      : [
          {
            ...entry,
            path: join(folder, path),
            name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13),
          },
        ],
  )
}

const readRecord = (text: string): DebianRecord => {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    depends: [field('Pre-Depends'), field('Depends')].join(','),
    provides: field('Provides'),
  }
}

const entriesOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const bill = billOf({
  image,
  version,
  nodeVersion: process.version.slice(1),
  below: below === '' ? null : JSON.parse(readFileSync(below, 'utf8')),
  installed: ['.', ...entriesOf('runtimes'), 'tools'].flatMap(readInstalled),
  debian: entriesOf(records).map((path) => readRecord(readFileSync(path, 'utf8'))),
})
process.stdout.write(`${JSON.stringify(bill, null, 1)}\n`)
