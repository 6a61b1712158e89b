import type { EgressProxy } from '../egress-proxy/egress-proxy.ts'
import type { Owner } from '../isolation/launch-plan.ts'
import { type PrivateFolder, removeFolder, writeFolder } from '../isolation/private-folder.ts'
import type { Program } from '../isolation/program.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** What is one run's alone. */
export type OwnParts = { folder: PrivateFolder; owner: Owner | null; egressProxy: EgressProxy }

export type OpenedParts = OwnParts & {
  isolated: boolean
  /** Takes them away; the last thing. */
  remove(): Promise<void>
}

type Wanted = { program(): Promise<Program>; modules: string | null }

/** A folder, a user where there is isolation, and the only way out. A part that cannot be had takes the others with it. */
export const openOwnParts = async (
  { program, modules }: Wanted,
  { isolation, openEgressProxy }: Pick<SandboxOptions, 'isolation' | 'openEgressProxy'>,
): Promise<OpenedParts> => {
  const isolated = (await isolation.status()).layers.length > 0
  const egressProxy = await openEgressProxy()
  const owner = isolated ? isolation.takeOwner() : null
  const release = async (): Promise<void> => {
    await egressProxy.close()
    isolation.giveBack(owner)
  }
  try {
    const folder = await writeFolder({ program: await program(), modules, owner })
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
