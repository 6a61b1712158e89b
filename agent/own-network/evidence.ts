/**
 * Whether a run in which nobody answered failed because of its target, or because this agent's own network was away. Pure; the
 * table is in docs/decisions/agent.md.
 */

/** Nobody answered: `lookup`, no name server for the target's name; `target`, nobody at its address. */
export type Silence = 'lookup' | 'target'

/**
 * `none`: this machine can reach nobody but itself; `lost`: its way out, which it had before, is gone; `unplugged`: there are
 * routes, and no device that they lead to is connected with anything.
 */
export type Routes = 'there' | 'none' | 'lost' | 'unplugged'

/** `unasked` can be found out; `unknown` cannot, since it is on this machine or there is none. */
export type Neighbour = 'answers' | 'silent' | 'unknown' | 'unasked'

/**
 * Whatever they answer, `SERVFAIL` included, they are there. `cut-off`: they answer, and no longer know the root, which they knew
 * before, as forwarders do that have lost their own way. `never`: silent now, and not known to have answered before.
 */
export type NameServers = Neighbour | 'cut-off' | 'never'

/**
 * Other hosts: `passing`, those that answered within the last seconds; `failing`, those that do as a rule and did not; `lately`,
 * those that answered within the period in which most checks come again, and have not been silent since.
 */
export type OtherTargets = { passing: number; failing: number; lately: number }

export type Evidence = {
  silence: Silence
  routes: Routes
  controlPlane: Neighbour
  nameServers: NameServers
  others: OtherTargets
}

/** Whose failure it was, or whom to ask before that can be said. */
type Verdict = 'target' | 'own-network' | 'ask-control-plane' | 'ask-name-servers'

/** With this many other targets silent at once it is no accident, where neither control plane nor name servers can tell. */
const manyAtOnce = 2

export const verdictOf = (evidence: Evidence): Verdict => {
  const { silence, routes, others } = evidence
  if (routes === 'none' || (routes !== 'there' && others.passing === 0)) return 'own-network'
  return silence === 'lookup' ? verdictOfLookup(evidence) : verdictOfTarget(evidence)
}

/** Without name servers nothing is known of the target, whoever else is there. */
const verdictOfLookup = (evidence: Evidence): Verdict => {
  const { nameServers, others } = evidence
  if (nameServers === 'unasked') return 'ask-name-servers'
  if (nameServers === 'silent') return 'own-network'
  if (nameServers === 'cut-off') return verdictOfTarget(evidence)
  return nameServers === 'never' && others.passing + others.lately === 0 ? 'own-network' : 'target'
}

/** Whoever answers speaks for the network, and who is asked first is who answers fastest. */
const verdictOfTarget = ({ controlPlane, nameServers, others }: Evidence): Verdict => {
  const isSomebodyThere = others.passing > 0
  if (controlPlane === 'unasked') return 'ask-control-plane'
  if (controlPlane === 'answers' || (controlPlane === 'unknown' && isSomebodyThere)) return 'target'
  if (nameServers === 'unasked') return 'ask-name-servers'
  // When both have been asked in vain, whoever passed has done so since.
  if (nameServers === 'answers' || isSomebodyThere) return 'target'
  if (controlPlane === 'silent' || nameServers === 'silent' || nameServers === 'cut-off') return 'own-network'
  return others.failing >= manyAtOnce && others.lately === 0 ? 'own-network' : 'target'
}
