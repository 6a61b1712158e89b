/**
 * Whether a check flaps: the weighted share of changes of its level over its last 21 judged runs, as Nagios and Icinga have it. The newest change
 * counts 1.25, the oldest 0.75. A check begins to flap at `high` percent and ends below `low`; what was before the first change was quiet. Pure.
 */

/** Between 21 runs. */
const steps = 20
const newest = 1.25
const oldest = 0.75
/** Of a check that is well and is not run any more, changes are remembered so long: longer than the longest period. */
const rememberedMs = 2 * 24 * 60 * 60_000

/** Percent; null: it is not looked at. */
export type FlappingRule = { high: number; low: number }

/** `changes`: a bit for each step between runs, the newest the lowest. `isTold`: people were told that it flaps, and not that it does no more. */
export type Flaps = { changes: number; isOn: boolean; since: number; isTold: boolean }

export const noFlaps: Flaps = { changes: 0, isOn: false, since: 0, isTold: false }

/** Nothing to remember, and nothing to tell. */
export const isQuiet = ({ changes, isOn, isTold }: Flaps): boolean => changes === 0 && !isOn && !isTold

/** After one more judged run. Where it is not looked at, nothing is remembered but what people were told. */
export const withStep = (
  flaps: Flaps,
  { changed, at, rule }: { changed: boolean; at: number; rule: FlappingRule | null | undefined },
): Flaps => {
  if (!rule) return { ...noFlaps, isTold: flaps.isTold }
  const changes = ((flaps.changes << 1) | Number(changed)) & (2 ** steps - 1)
  const percent = percentOf({ changes })
  const isOn = flaps.isOn ? percent >= Math.min(rule.low, rule.high) : percent >= rule.high
  return { ...flaps, changes, isOn, since: isOn === flaps.isOn ? flaps.since : at }
}

/** When a check that is well is as one that never failed; null: nothing is remembered. */
export const forgottenAt = (flaps: Flaps, lastRunAt: number): number | null =>
  isQuiet(flaps) ? null : lastRunAt + rememberedMs

/** `begun`: it flaps, which nobody was told; `told`: it flaps, and people know; `over`: it does no more, which nobody was told. */
type FlapPhase = 'none' | 'begun' | 'told' | 'over'

export const flapPhase = ({ isOn, isTold }: Flaps, rule: FlappingRule | null | undefined): FlapPhase => {
  if (isOn && rule) return isTold ? 'told' : 'begun'
  return isTold ? 'over' : 'none'
}

/** 0 … 100. */
export const percentOf = ({ changes }: Pick<Flaps, 'changes'>): number => {
  let sum = 0
  for (let step = 0; step < steps; step++)
    if ((changes & (1 << step)) !== 0) sum += newest - ((newest - oldest) * step) / (steps - 1)
  return (sum * 100) / steps
}

export const changesIn = ({ changes }: Pick<Flaps, 'changes'>): number =>
  changes.toString(2).replaceAll('0', '').length
