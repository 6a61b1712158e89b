import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from './test-agent.ts'

type Files = Record<string, string>

export const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, version: '1.0.0', ...more })

/** Packages of a runtime: `casing` is only what others need. */
export const greetings: Files = {
  'greet/package.json': manifest('greet'),
  'greet/index.js':
    "exports.greet = (name) => require('./lib/words').hello + ' ' + require('casing').upper(name)",
  'greet/lib/words.js': "exports.hello = 'Hello'",
  'casing/package.json': manifest('casing'),
  'casing/index.js': 'exports.upper = (text) => text.toUpperCase()',
  '@scope/modern/package.json': manifest('@scope/modern', {
    type: 'module',
    exports: { '.': './main.js', './part': './part.js' },
  }),
  '@scope/modern/main.js': "import { upper } from 'casing'\nexport const shout = (text) => upper(text) + '!'",
  '@scope/modern/part.js': "export const part = 'a part'",
}

/** A folder of runtimes with one of them: `names` are the packages of its package.json, `files` those of its node_modules. */
export const runtimeOf = (t: Test, names: readonly string[], files: Files): string => {
  const folder = temporaryFolder(t)
  const runtime = join(folder, '2026-04')
  const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']))
  const all: Files = { 'package.json': manifest('a-runtime', { dependencies }) }
  for (const [path, text] of Object.entries(files)) all[`node_modules/${path}`] = text
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(runtime, path)), { recursive: true })
    writeFileSync(join(runtime, path), text)
  }
  return folder
}

/** npm's last word. */
export const installed = { '.package-lock.json': '{}' }
