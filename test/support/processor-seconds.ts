import { existsSync, readFileSync } from 'node:fs'

/** The unit of /proc, on every Linux that Node runs on. */
const ticksPerSecond = 100
/** Of /proc/self/stat behind the name of the program: our own time in both modes, and that of children that have ended. */
const places = { all: [11, 15], children: [13, 15] } as const

/** What this process and all that it started, or the latter alone, have used of processors; null where the system does not say it. */
export function processorSeconds(
  stat = '/proc/self/stat',
  whose: keyof typeof places = 'all',
): number | null {
  if (!existsSync(stat)) return null
  const text = readFileSync(stat, 'utf8')
  // The name may hold blanks and brackets.
  const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ')
  const ticks = fields.slice(...places[whose]).map(Number)
  return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond
}

const told = { seconds: 0 }

/** What the child has used whose end was just told, with all that it waited for: what ended children have used since the last. */
export function secondsOfEnded(): number | null {
  const now = processorSeconds('/proc/self/stat', 'children')
  const used = now === null ? null : now - told.seconds
  told.seconds = now ?? 0
  return used
}
