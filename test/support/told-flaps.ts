import type { Check, Judged } from './told-oracle.ts'

/** Of twenty steps the newest weighs 1.25 and the oldest 0.75; before the first run all was well. */
export const flapsOf = ({ flapping }: Check, runs: readonly Judged[]): boolean[] => {
  let flaps = false
  return runs.map((_, last) => {
    if (flapping === null) return false
    let weight = 0
    for (let age = 0; age < 20 && age <= last; age++)
      if (runs[last - age]?.level !== (runs[last - age - 1]?.level ?? 'passing'))
        weight += 1.25 - (0.5 * age) / 19
    const percent = (weight / 20) * 100
    flaps = percent >= (flaps ? flapping.low : flapping.high)
    return flaps
  })
}
