/** Prints the program of `child/` as JSON: its files without their types, beside each other in one folder. */
import { globSync, readFileSync, writeSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'

const agent = new URL('..', import.meta.url)
const paths = ['broker/socks.ts', ...globSync('sandbox/child/*.ts', { cwd: agent })]

const files = paths.map((path) => ({
  name: `${basename(path, '.ts')}.mjs`,
  code: stripTypeScriptTypes(readFileSync(new URL(path, agent), 'utf8')).replaceAll(
    /(from '|import\(')\.[^']*?([\w-]+)\.ts'/g,
    "$1./$2.mjs'",
  ),
}))

writeSync(1, JSON.stringify(files))
