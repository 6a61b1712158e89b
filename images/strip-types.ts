/**
 * Takes the types out of our own sources in an image, in place: `node strip-types.ts <folder or file>…`. Blanks take their room, so
 * lines and columns in messages stay. `plain-sources.mjs` then loads them as they are.
 */

import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

const sourcesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? globSync('**/*.ts', { cwd: path, exclude: ['**/node_modules/**'] }).map((name) => join(path, name))
    : [path]

for (const file of process.argv.slice(2).flatMap(sourcesIn))
  writeFileSync(file, stripTypeScriptTypes(readFileSync(file, 'utf8')))
