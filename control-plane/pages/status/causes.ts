/** Which services fail because of another one that the page shows. What it does not show is never named. Pure. */
import type { LinkedCheck } from './service-checks.ts'

type Linked = Pick<LinkedCheck, 'now' | 'names' | 'because'>

/** By the id of a service, those of which each of its failing checks depends on one; none where one fails by itself, or because of what is not shown. */
export const causesOf = (
  linked: ReadonlyMap<string, readonly Linked[]>,
): ((serviceId: string) => readonly string[]) => {
  const failing = [...linked].flatMap(([serviceId, checks]) =>
    checks.filter(({ now }) => now?.state === 'failing').map((check) => ({ serviceId, ...check })),
  )
  return (serviceId) => {
    const causes = failing
      .filter((check) => check.serviceId === serviceId)
      .map(({ because }) =>
        failing.filter(
          (other) => other.serviceId !== serviceId && other.names.some((name) => name === because),
        ),
      )
    if (causes.some((each) => each.length === 0)) return []
    return [...new Set(causes.flat().map((other) => other.serviceId))]
  }
}
