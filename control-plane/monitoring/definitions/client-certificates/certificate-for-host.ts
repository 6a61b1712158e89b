/** Which client certificate a host is shown. Pure. */

type Candidate = { id: string; host: string; createdAt: number }

/**
 * The certificate whose host pattern matches: a full host beats any wildcard, the newest wins among equals, and the
 * greater id among those of one instant. `*` stands for any characters, dots too; case does not count.
 */
export const certificateForHost = <C extends Candidate>(
  certificates: readonly C[],
  host: string,
): C | null => {
  const wanted = normalized(host)
  let best: C | null = null
  for (const candidate of certificates)
    if (matchesHost(candidate.host, wanted) && (best === null || beats(candidate, best))) best = candidate
  return best
}

const normalized = (host: string): string => host.toLowerCase().replace(/\.$/, '')

const isWildcard = ({ host }: Candidate): boolean => host.includes('*')

const beats = (a: Candidate, b: Candidate): boolean => {
  if (isWildcard(a) !== isWildcard(b)) return isWildcard(b)
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt
  return a.id > b.id
}

/** Greedy matching with one step back: linear in practice, never exponential however many stars a pattern has. */
const matchesHost = (pattern: string, host: string): boolean => {
  const glob = normalized(pattern)
  let at = 0
  let position = 0
  let star = -1
  let resume = 0
  while (position < host.length) {
    if (glob[at] === '*') {
      star = at++
      resume = position
    } else if (glob[at] === host[position]) {
      at++
      position++
    } else if (star >= 0) {
      at = star + 1
      position = ++resume
    } else return false
  }
  while (glob[at] === '*') at++
  return at === glob.length
}
