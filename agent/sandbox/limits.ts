import type { HeldLimit, HeldLimits } from '../../protocol/checks/held-limits.ts'
import type { PrivateFolder } from '../isolation/private-folder.ts'

type Held = { folder: Pick<PrivateFolder, 'volume'>; memoryMb: number; filesMb: number }

export const heldLimits = ({ folder, memoryMb, filesMb }: Held): HeldLimits => ({
  memory: { mb: memoryMb, heldBy: 'measured' },
  files: { mb: filesMb, heldBy: folder.volume === null ? 'measured' : 'kernel' },
})

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
