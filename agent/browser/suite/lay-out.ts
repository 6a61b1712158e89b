import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BundleError, entryPath } from '../../../protocol/archives/entry-path.ts'
import type { CodeBundle } from '../../../protocol/checks/playwright-spec.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import { suiteFiles } from '../run-files.ts'
import { bundleKey } from './install-plan.ts'
import { createProjectTree, type ProjectTree } from './project-tree.ts'
import type { SuiteFolder } from './suite-folder.ts'
import type { SuiteJob, SuiteWorld } from './suites-options.ts'
import { maxEntries, unpack } from './unpack.ts'

type Laying = { suiteFolder: SuiteFolder; world: SuiteWorld; signal: AbortSignal }

const archiveName = 'bundle'

/**
 * The project as its check says: the bundle, and the files over it.
 * @throws BundleError
 */
export const layOut = async (
  {
    accountId,
    bundleTicket: ticket,
    spec: { bundle, files, refreshCache },
  }: Pick<SuiteJob, 'accountId' | 'bundleTicket' | 'spec'>,
  { suiteFolder, world, signal }: Laying,
): Promise<ProjectTree> => {
  const { folder, owner } = suiteFolder
  const tree = await createProjectTree(join(folder.inside, suiteFiles.project), owner, maxEntries)
  if (bundle !== null)
    await layOutBundle(bundle, { suiteFolder, world, signal, tree, accountId, ticket, refreshCache })
  for (const { path, content } of files)
    await tree.writeFile(entryPath(path.replaceAll('\\', '/').replace(/^\/+/, '')), {
      bytes: Readable.from([Buffer.from(content)]),
      executable: content.startsWith('#!'),
      replaces: true,
    })
  return tree
}

type BundleLaying = Laying & { tree: ProjectTree; accountId: string; ticket: string; refreshCache: boolean }

const layOutBundle = async (bundle: CodeBundle, laying: BundleLaying): Promise<void> => {
  const { cache } = laying.world
  const { suiteFolder, tree, signal, accountId, refreshCache } = laying
  const key = bundleKey(accountId, bundle)
  const unpackFrom = async (folder: string): Promise<true> => {
    await unpack(join(folder, archiveName), tree, { signal })
    return true
  }
  if (!refreshCache && (await cache?.use(key, unpackFrom)) === true) return
  const fetched = join(suiteFolder.folder.path, archiveName)
  await fetchBundle(bundle, fetched, laying)
  await cache?.keep(key, async (folder) => {
    await copyFile(fetched, join(folder, archiveName))
    return bundle.bytes
  })
  await unpackFrom(suiteFolder.folder.path)
}

const fetchBundle = async (
  bundle: CodeBundle,
  to: string,
  { world, signal, ticket }: BundleLaying,
): Promise<void> => {
  const fetched = await world.fetch({ ...bundle, ticket }, to, signal)
  if ('missing' in fetched && fetched.missing) throw new BundleError('The control plane does not have it')
  if ('problem' in fetched) throw new CannotRun(`The code bundle could not be fetched: ${fetched.problem}`)
  if (fetched.bytes !== bundle.bytes || fetched.sha256 !== bundle.sha256)
    throw new CannotRun('The code bundle that came is not the one that was announced')
}
