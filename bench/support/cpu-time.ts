import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Clock ticks a second, as the kernel counts CPU time (POSIX sysconf _SC_CLK_TCK). */
const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/**
 * CPU seconds that a process has used so far, user and system, all its threads and the children it has waited for
 * (fields 14 to 17 of /proc/<pid>/stat, proc(5)).
 */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in field 2 may hold spaces and parentheses; what follows the last one starts with field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / ticksPerSecond
}

/** Resident memory in MB, now and at most so far (proc(5)). */
export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS')
export const peakResidentMb = (pid: number): number => statusMb(pid, 'VmHWM')

const statusMb = (pid: number, field: string): number => {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}
