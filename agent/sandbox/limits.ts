import type { HeldLimit, HeldLimits } from '../../protocol/checks/held-limits.ts'
import type { ControlGroup } from '../isolation/control-groups.ts'
import type { PrivateFolder } from '../isolation/private-folder.ts'

type Held = {
  folder: Pick<PrivateFolder, 'volume'>
  group: ControlGroup | null
  memoryMb: number
  filesMb: number
}

export const heldLimits = ({ folder, group, memoryMb, filesMb }: Held): HeldLimits => ({
  memory: { mb: memoryMb, heldBy: group === null ? 'measured' : 'kernel' },
  files: { mb: filesMb, heldBy: folder.volume === null ? 'measured' : 'kernel' },
})

/** What follows from the agent's own measure; null: nothing, where the kernel gives no more than the limit. */
export const ifMeasured = ({ heldBy }: HeldLimit, act: () => void): (() => void) | null =>
  heldBy === 'kernel' ? null : act

const by: Record<HeldLimit['heldBy'], string> = {
  kernel: 'held by the kernel',
  measured: 'measured by the agent',
}

/** As words that follow the name of what was stopped. */
export const tooMuchMemory = ({ mb, heldBy }: HeldLimit): string =>
  `was stopped: it used more than its ${mb} MB of memory (${by[heldBy]})`

/** One to whom the kernel gives no more goes on, and fails by itself. */
export const tooManyFiles = ({ mb, heldBy }: HeldLimit): string =>
  heldBy === 'kernel'
    ? `ran out of room for its files, which may take ${mb} MB (${by.kernel})`
    : `was stopped: its files take more than its ${mb} MB (${by.measured})`
