/** What several checks say together is stronger than what one says. */
import { tell } from '../../../platform/words/told.ts'
import type { Facts } from '../facts.ts'
import { evidence, type Rule } from './rule.ts'

const isNetwork = ({ run }: Facts): boolean => run.failure?.network === true

/** Names of hosts other than the check's own that fail at the same time, and how many there are in all. */
const otherHosts = ({ neighbours, check }: Facts): { failing: string[]; all: number } => {
  const others = neighbours.filter(({ host }) => host !== null && host !== check.host)
  const hosts = new Map<string, boolean>()
  for (const { host, fails } of others) hosts.set(host ?? '', (hosts.get(host ?? '') ?? true) && fails)
  const failing = [...hosts].filter(([, fails]) => fails).map(([host]) => host)
  return { failing, all: hosts.size }
}

export const surroundingRules: Rule[] = [
  {
    id: 'everything-fails',
    classification: 'LOCATION_NETWORK_ERROR',
    applies: (facts) => {
      const { failing, all } = otherHosts(facts)
      return isNetwork(facts) && failing.length >= 2 && failing.length * 2 > all
    },
    rootCause: (facts) => {
      const { failing, all } = otherHosts(facts)
      return tell`Checks of ${failing.length} of ${all} other hosts fail at the same time, below HTTP. That points to something they share, 
        not to this target: the network, resolver or internet access of ${facts.run.location}, or a provider that all of them depend on. What this check saw: ${facts.run.failure?.message.replace(/\.$/, '')}.`
    },
    userImpact: () =>
      tell`If the location is at fault, users elsewhere notice nothing; if a shared provider is, they do.`,
    fix: () =>
      tell`Start with the location: does the machine of the agent reach the internet and its name server? If checks in other locations fail as well, look at the status of the shared provider.`,
    evidence: (facts) => [
      evidence(`Failing at the same time: ${otherHosts(facts).failing.slice(0, 20).join(', ')}.`),
    ],
  },
]
