/** Processes below others, as the kernel accounts them (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs'

export type ProcessFacts = { pid: number; parent: number; cpuMs: number; command: string }

const msPerTick = 10

/** The processes with these numbers, and all below them. */
export const processTree = (roots: readonly number[]): ProcessFacts[] => {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
  const tree = all.filter(({ pid }) => roots.includes(pid))
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

const factsOf = (pid: number): ProcessFacts => {
  const fields = numbersOf(pid)
  return {
    pid,
    parent: fields[1] ?? 0,
    cpuMs: ((fields[11] ?? 0) + (fields[12] ?? 0)) * msPerTick,
    command: read(`/proc/${pid}/cmdline`),
  }
}

/** CPU time of all children that this process has waited for, with all that they have waited for. */
export const endedChildrenCpuMs = (): number => {
  const fields = numbersOf(globalThis.process.pid)
  return ((fields[13] ?? 0) + (fields[14] ?? 0)) * msPerTick
}

/** The name in field 2 may hold anything; what follows its end starts with field 3. */
const numbersOf = (pid: number): number[] => {
  const stat = read(`/proc/${pid}/stat`)
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}

const lookEveryMs = 150

/** The most that these processes and all below them held together in MB, each shared page counted in parts. */
export const watchPeakMb = (roots: readonly number[]): (() => number) => {
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, treeMb(roots))
  }
  look()
  const timer = setInterval(look, lookEveryMs)
  return () => {
    clearInterval(timer)
    return Math.round(peak)
  }
}

export const treeMb = (roots: readonly number[]): number =>
  processTree(roots).reduce(
    (sum, { pid }) =>
      sum + Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024,
    0,
  )

/** What has just ended has no files any more. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
