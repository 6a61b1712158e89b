/** Values of which one rendering of a chart tells as much about each as a rendering of its own. */
import { runsIn } from './length.ts'

/** Few groups, none with two of which one could hide what helm says of the other. A long run tries each by itself. */
export const triedTogether = <T>(all: readonly T[], hides: (one: T, other: T) => boolean): T[][] => {
  if (runsIn('long')) return all.map((one) => [one])
  const groups: T[][] = []
  for (const one of all) {
    const group = groups.find((group) => !group.some((other) => hides(one, other)))
    if (group === undefined) groups.push([one])
    else group.push(one)
  }
  return groups
}
