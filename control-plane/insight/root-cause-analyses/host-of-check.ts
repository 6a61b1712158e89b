import type { CheckDoc } from '../../monitoring/definitions/checks/check-doc.ts'

/** What a request of some type may name its target by. */
type Target = { url?: string; hostname?: string; query?: string }

/** The host that a check looks at, if it names one. */
export const hostOfCheck = ({ request }: Pick<CheckDoc, 'request'>): string | null => {
  const { url, hostname, query } = (request ?? {}) as Target
  return hostname ?? query ?? (url ? (URL.parse(url)?.hostname ?? null) : null)
}
