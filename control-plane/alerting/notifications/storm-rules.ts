/** When failures are a storm, and of what: the host that they share, else the place that they were seen from, else the account. Pure. */

export type StormBrake = { checks: number; percent: number; windowMs: number }

/** The first that is told of a failure. `host`: whom the check looks at; empty: nobody by name. */
export type Opening = { checkId: string; host: string; location: string }

/** `scope` null: it is told alone; so it is of a suspect that others do not follow, only later. */
type Told = { scope: string | null; isSuspect: boolean }

const ofAccount = 'storm account'

/** Fewer are no storm, however few checks an account has. */
export const leastChecks = 5

/** How many checks make a storm in an account with so many active ones. */
export const stormFrom = ({ checks, percent }: StormBrake, active: number): number =>
  Math.min(Math.max(checks, 2), Math.max(leastChecks, Math.ceil((active * percent) / 100)))

/** `ongoing`: scopes that something was told under lately. What is part of such a storm belongs to it, however slowly it comes in. */
type Known = { from: number; ongoing?: ReadonlySet<string> }

/**
 * How each check is told of. What shares a host with enough others is told with those; of the rest, what was seen from the same place;
 * and what then remains is a storm of its own only where that is enough. So one failure beside a storm stays one failure.
 */
export const stormOf = (
  openings: readonly Opening[],
  { from, ongoing = new Set() }: Known,
): Map<string, Told> => {
  const told = new Map<string, Told>()
  const suspects = Math.max(2, Math.ceil(from / 4))
  let rest = [...new Map(openings.map((one) => [one.checkId, one])).values()]
  for (const name of ['host', 'location'] as const)
    for (const [value, those] of Map.groupBy(rest, (one) => one[name])) {
      if (value === '') continue
      const scope = `storm ${name} ${value}`
      if (those.length >= from || ongoing.has(scope))
        for (const { checkId } of those) told.set(checkId, { scope, isSuspect: false })
      rest = rest.filter(({ checkId }) => !told.has(checkId))
    }
  const isStorm = rest.length >= from || ongoing.has(ofAccount)
  for (const { checkId } of rest)
    told.set(checkId, {
      scope: isStorm ? ofAccount : null,
      isSuspect: !isStorm && rest.length >= suspects,
    })
  return told
}
