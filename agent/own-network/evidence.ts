/**
 * Whether a run in which nobody answered failed because of its target, or because this agent's own network was away. Pure; the
 * table is in docs/decisions/agent.md.
 */

/** Nobody answered: `lookup`, no name server for the target's name; `target`, nobody at its address. */
export type Silence = 'lookup' | 'target'

/** `none`: this machine can reach nobody but itself; `lost`: its way out, which it had before, is gone. */
export type Routes = 'there' | 'none' | 'lost'

/** `unasked` can be found out; `unknown` cannot, since it is on this machine or there is none. */
export type Neighbour = 'answers' | 'silent' | 'unknown' | 'unasked'

/** `never`: silent now, and not known to have answered before. */
export type NameServers = Neighbour | 'never'

/** Other hosts within the last seconds: those that answered, and those that do as a rule and did not. */
export type OtherTargets = { passing: number; failing: number }

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
  const { silence, routes, controlPlane, others } = evidence
  const isNobodyThere = others.passing === 0
  if (routes === 'none' || (routes === 'lost' && isNobodyThere)) return 'own-network'
  if (controlPlane === 'unasked') return 'ask-control-plane'
  if (controlPlane === 'silent' && others.passing <= others.failing) return 'own-network'
  if (silence === 'lookup') return byNameServers(evidence, isNobodyThere ? 'own-network' : 'target')
  if (!isNobodyThere || (controlPlane === 'answers' && others.failing === 0)) return 'target'
  const isEverybodyAway = controlPlane === 'unknown' && others.failing >= manyAtOnce
  return byNameServers(evidence, isEverybodyAway ? 'own-network' : 'target', isEverybodyAway)
}

/** `mute`: what it means that they have never answered; `unknown`: that there are none, as with `mute` if that is all one. */
const byNameServers = ({ nameServers }: Evidence, mute: Verdict, isAllOne = false): Verdict => {
  if (nameServers === 'unasked') return 'ask-name-servers'
  if (nameServers === 'silent') return 'own-network'
  if (nameServers === 'never') return mute
  return nameServers === 'unknown' && isAllOne ? mute : 'target'
}
