/**
 * Virtual machines are two to four times slower at some hours than at others. How fast this one was stands beside what was
 * measured, so that nobody takes an hour of the machine for a change of the project.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { grouped } from './numbers.ts'

/** Rounds of `machine-speed-program.ts` per CPU-second, directly before and directly after a benchmark. */
export type MachineSpeed = { before: number; after: number }

const program = fileURLToPath(new URL('machine-speed-program.ts', import.meta.url))

/** A process of its own: what the bench has loaded and holds changes nothing of it, nor does it change the bench. */
export const roundsPerCpuSecond = (looks = 10): number => {
  const printed = execFileSync(process.execPath, [program, `${looks}`], { encoding: 'utf8' })
  const [, rounds] = /^rounds per CPU-second (\d+)$/m.exec(printed) ?? []
  if (rounds === undefined) throw new Error(`machine-speed-program.ts printed ${printed}`)
  return Number(rounds)
}

/** A smaller difference may be the measurement's own. */
const steadyWithin = 0.1

/** `6,480`, or `6,480 → 3,120` where the machine changed meanwhile. */
export const shownSpeed = ({ before, after }: MachineSpeed): string => {
  const mean = (before + after) / 2
  if (Math.abs(before - after) <= steadyWithin * mean) return toTens(mean)
  return `${toTens(before)} → ${toTens(after)}`
}

const toTens = (rounds: number): string => grouped(Math.round(rounds / 10) * 10)
