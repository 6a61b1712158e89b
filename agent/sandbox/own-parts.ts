import type { EgressProxy } from '../egress-proxy/egress-proxy.ts'
import type { Owner } from '../isolation/launch-plan.ts'
import { type PrivateFolder, removeFolder, writeFolder } from '../isolation/private-folder.ts'
import type { Program } from '../isolation/program.ts'
import type { Volume, VolumeSize } from '../isolation/volumes.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** What is one run's alone. */
export type OwnParts = { folder: PrivateFolder; owner: Owner | null; egressProxy: EgressProxy }

export type OpenedParts = OwnParts & {
  isolated: boolean
  /** Takes them away; the last thing. */
  remove(): Promise<void>
}

/** `files`: what it may write. */
type Wanted = { program(): Promise<Program>; modules: string | null; files: VolumeSize }

/** A folder, a user where there is isolation, and the only way out. A part that cannot be had takes the others with it. */
export const openOwnParts = async (
  { program, modules, files }: Wanted,
  { isolation, openEgressProxy, log }: Pick<SandboxOptions, 'isolation' | 'openEgressProxy' | 'log'>,
): Promise<OpenedParts> => {
  const isolated = (await isolation.status()).layers.length > 0
  const egressProxy = await openEgressProxy()
  const owner = isolated ? isolation.takeOwner() : null
  const release = async (): Promise<void> => {
    await egressProxy.close()
    isolation.giveBack(owner)
  }
  const openVolume = async (folder: string): Promise<Volume | null> => {
    try {
      return isolated ? await isolation.openVolume(files, { owner, folder }) : null
    } catch (error) {
      // The run goes on, with its files measured, and its result says so.
      log.debug(`a run has no file system of its own: ${(error as Error).message}`)
      return null
    }
  }
  try {
    const folder = await writeFolder({ program: await program(), modules, owner, openVolume })
    const remove = async (): Promise<void> => {
      try {
        await removeFolder(folder)
      } finally {
        await release()
      }
    }
    return { folder, owner, egressProxy, isolated, remove }
  } catch (error) {
    await release()
    throw error
  }
}
