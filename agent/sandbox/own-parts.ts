import type { Broker } from '../broker/broker.ts'
import type { Owner } from '../walls/launch-plan.ts'
import { type PrivateFolder, removeFolder, writeFolder } from '../walls/private-folder.ts'
import type { Program } from '../walls/program.ts'
import type { SandboxOptions } from './sandbox-options.ts'

/** What is one run's alone. */
export type OwnParts = { folder: PrivateFolder; owner: Owner | null; broker: Broker }

export type OpenedParts = OwnParts & {
  walled: boolean
  /** Takes them away; the last thing. */
  remove(): Promise<void>
}

type Wanted = { program(): Promise<Program>; modules: string | null }

/** A folder, a user where there are walls, and the only way out. A part that cannot be had takes the others with it. */
export const openOwnParts = async (
  { program, modules }: Wanted,
  { walls, openBroker }: Pick<SandboxOptions, 'walls' | 'openBroker'>,
): Promise<OpenedParts> => {
  const walled = (await walls.standing()).walls.length > 0
  const broker = await openBroker()
  const owner = walled ? walls.takeOwner() : null
  const release = async (): Promise<void> => {
    await broker.close()
    walls.giveBack(owner)
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
    return { folder, owner, broker, walled, remove }
  } catch (error) {
    await release()
    throw error
  }
}
