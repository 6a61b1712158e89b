/**
 * What a build may know but an image may not keep: the registry of npm that this machine uses, with what opens it, and its
 * authorities. Handed to the build as secrets, which are there while a command runs and in no layer.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type BuildSecrets = { options: readonly string[]; remove(): void }

const configured = (key: string): string | null => {
  const value = execFileSync('npm', ['config', 'get', key], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  return value === '' || value === 'null' || value === 'undefined' ? null : value
}

/** Where authorities lie is this machine's business; in the build they have another place. */
const notInBuilds = /^\s*(cafile|prefix|cache|userconfig|globalconfig|nodedir)\s*=/

export const buildSecrets = (): BuildSecrets => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-secrets-'))
  const own = configured('userconfig')
  const lines = own !== null && existsSync(own) ? readFileSync(own, 'utf8').split('\n') : []
  const registry = configured('registry')
  const npmrc = join(folder, 'npmrc')
  writeFileSync(
    npmrc,
    [...lines.filter((line) => !notInBuilds.test(line)), registry && `registry=${registry}`, ''].join('\n'),
    { mode: 0o600 },
  )
  const authorities = configured('cafile') ?? process.env['NODE_EXTRA_CA_CERTS'] ?? null
  return {
    options: [
      `--secret=id=npmrc,src=${npmrc}`,
      ...(authorities !== null && existsSync(authorities) ? [`--secret=id=ca,src=${authorities}`] : []),
    ],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
