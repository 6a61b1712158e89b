import { existsSync, readFileSync } from 'node:fs'

/** The unit of /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100
/** Of /proc/self/stat behind the name of the program: our own time in both modes, and that of children that have ended. */
const [first, behindLast] = [11, 15]

/** What this process and all that it started have used of processors; null where the system does not say it. */
export function processorSeconds(stat = '/proc/self/stat'): number | null {
  if (!existsSync(stat)) return null
  const text = readFileSync(stat, 'utf8')
  // The name may hold blanks and brackets.
  const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ')
  const ticks = fields.slice(first, behindLast).map(Number)
  return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond
}
