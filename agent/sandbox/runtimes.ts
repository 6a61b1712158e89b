import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hyphenated, type RuntimeId, runtimeIds } from '../../protocol/runtime.ts'

/**
 * A runtime that this agent has: a folder of `runtimes/`. Its package.json names the packages of scripts, also where nobody
 * has installed them (`npm run runtime <id>`); scripts without packages need no more than that.
 */
export type Runtime = { id: RuntimeId; folder: string; packages: readonly string[] }

/** They drive a browser, for which they need processes that scripts of API checks may not start. */
export const browserPackages: readonly string[] = [
  'playwright',
  '@playwright/test',
  '@axe-core/playwright',
  '@clerk/testing',
]

/** Those of this clone, or of this image. */
export const ownRuntimes: string = fileURLToPath(new URL('../../runtimes/', import.meta.url))

/** Newest first. */
export const findRuntimes = (folder: string): readonly Runtime[] =>
  runtimeIds.flatMap((id) => {
    const own = join(folder, hyphenated(id))
    const manifest = join(own, 'package.json')
    if (!existsSync(manifest)) return []
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      dependencies?: Record<string, string>
    }
    return [{ id, folder: own, packages: Object.keys(dependencies) }]
  })

/** Where the packages really are, or null: they are not installed. Asked anew for each script, so that nobody has to restart. */
export const installedModules = ({ folder }: Runtime): string | null => {
  const modules = join(folder, 'node_modules')
  // npm writes this list last: without it an install is under way, or has failed.
  return existsSync(join(modules, '.package-lock.json')) ? realpathSync(modules) : null
}

/** A clone has their folders, too: they are offered where somebody has installed them, and an image has them for that. */
const forMigrations: readonly RuntimeId[] = ['2024.09']

/** What an agent tells of its runtimes, as they are now: scripts that load no packages need none to be installed. */
export const offeredRuntimes = (
  runtimes: readonly Runtime[],
): { runtimeIds: RuntimeId[]; playwrightRuntimeIds: RuntimeId[] } => ({
  runtimeIds: runtimes
    .filter((one) => !forMigrations.includes(one.id) || installedModules(one) !== null)
    .map(({ id }) => id),
  playwrightRuntimeIds: runtimesWithPlaywright(runtimes),
})

/** Those that can run browser and multi-step checks, as it is now. */
export const runtimesWithPlaywright = (runtimes: readonly Runtime[]): RuntimeId[] =>
  runtimes
    .filter((one) => one.packages.includes('playwright') && installedModules(one) !== null)
    .map(({ id }) => id)
