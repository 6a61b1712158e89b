import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { findRuntimes, ownRuntimes } from '../agent/sandbox/runtimes.ts'
import { runtimes } from '../control-plane/access/runtimes/runtimes.ts'
import { runtimeIds } from '../protocol/runtime.ts'
import { leftOutOf } from './support/left-out.ts'

type Locked = {
  version?: string
  integrity?: string
  inBundle?: boolean
  dependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Locked> }

const read = (path: string): string => readFileSync(new URL(`../runtimes/${path}`, import.meta.url), 'utf8')

const folders = readdirSync(ownRuntimes, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const idOf = (folder: string): string => folder.replace('-', '.')

/** Parts of Node that the API lists as packages. */
const ofNode = ['http', 'https']

t.test('every folder is a runtime of the list, and the newest runtime has one', async (t) => {
  t.same(
    folders.filter((name) => !runtimeIds.some((id) => id === idOf(name))),
    [],
  )
  t.ok(folders.map(idOf).includes(runtimeIds[0]))
  t.same(
    findRuntimes(ownRuntimes).map(({ id }) => id),
    runtimeIds.filter((id) => folders.map(idOf).includes(id)),
    'an agent has them all',
  )
})

for (const id of folders) {
  const dependencies: Record<string, string> = JSON.parse(read(`${id}/package.json`)).dependencies
  const lock: Lock = JSON.parse(read(`${id}/package-lock.json`))

  t.test(
    `${id}: what is installed is what the API lists, without what is left out for a reason`,
    async (t) => {
      const listed = runtimes.find(({ name }) => name === idOf(id))!.dependencies
      const leftOut = [...leftOutOf(idOf(id)), ...ofNode]
      t.ok(leftOut.length > ofNode.length)
      for (const name of leftOut) t.ok(Object.hasOwn(listed, name), `${name} is in the runtime`)
      t.same(
        dependencies,
        Object.fromEntries(Object.entries(listed).filter(([name]) => !leftOut.includes(name))),
      )
    },
  )

  t.test(`${id}: the lock has these very versions and names no registry`, async (t) => {
    t.same(lock.packages['']?.dependencies, dependencies)
    for (const [name, version] of Object.entries(dependencies))
      t.equal(lock.packages[`node_modules/${name}`]?.version, version, name)
    t.notMatch(read(`${id}/package-lock.json`), /"resolved"|https?:\/\/[^"]*\.tgz/)
  })

  t.test(`${id}: every archive is held to its hash`, async (t) => {
    const hashed = (path: string): boolean => /^sha512-/.test(lock.packages[path]?.integrity ?? '')
    /** Some come in the archive of another package, whose hash covers them. */
    const around = (path: string): string => path.slice(0, path.lastIndexOf('/node_modules/'))
    for (const [path, { inBundle = false }] of Object.entries(lock.packages))
      if (path !== '') t.ok(hashed(inBundle ? around(path) : path), path)
  })

  t.test(`${id}: there is one Playwright, whatever else asks for it`, async (t) => {
    const copies = Object.keys(lock.packages).filter((path) => path.endsWith('node_modules/playwright-core'))
    t.same(copies, ['node_modules/playwright-core'])
    t.equal(lock.packages[copies[0]!]?.version, dependencies['playwright'])
  })

  t.test(`${id}: nothing runs while packages are installed`, async (t) => {
    t.match(read(`${id}/.npmrc`), /^ignore-scripts=true$/m)
    t.match(read(`${id}/.npmrc`), /^omit-lockfile-registry-resolved=true$/m)
  })
}
