import t from 'tap'
import { type Evidence, verdictOf } from '../../../agent/own-network/evidence.ts'

/** The whole of what can be known, with up to three others of each kind. */
const everything: Evidence[] = (['lookup', 'target'] as const).flatMap((silence) =>
  (['there', 'none', 'lost'] as const).flatMap((routes) =>
    (['answers', 'silent', 'unknown', 'unasked'] as const).flatMap((controlPlane) =>
      (['answers', 'silent', 'unknown', 'unasked', 'never'] as const).flatMap((nameServers) =>
        [0, 1, 2, 3].flatMap((passing) =>
          [0, 1, 2, 3].map((failing) => ({
            silence,
            routes,
            controlPlane,
            nameServers,
            others: { passing, failing },
          })),
        ),
      ),
    ),
  ),
)

const holdsFor = (t: Tap, what: string, is: (evidence: Evidence) => boolean, verdicts: string[]): void => {
  const meant = everything.filter(is)
  t.ok(meant.length > 0)
  t.same(
    meant.filter((evidence) => !verdicts.includes(verdictOf(evidence))),
    [],
    what,
  )
}
type Tap = Pick<typeof t, 'ok' | 'same'>

t.test('every evidence leads to a verdict, and nobody is asked twice', async (t) => {
  for (const evidence of everything) {
    const verdict = verdictOf(evidence)
    if (verdict === 'ask-control-plane') t.equal(evidence.controlPlane, 'unasked')
    if (verdict === 'ask-name-servers') t.equal(evidence.nameServers, 'unasked')
  }
  holdsFor(
    t,
    'once both were asked there is one',
    ({ controlPlane, nameServers }) => controlPlane !== 'unasked' && nameServers !== 'unasked',
    ['target', 'own-network'],
  )
})

t.test('the table of docs/decisions/agent.md', async (t) => {
  holdsFor(t, 'no route', ({ routes }) => routes === 'none', ['own-network'])
  holdsFor(
    t,
    'no default route any more, and nobody answers',
    ({ routes, others }) => routes === 'lost' && others.passing === 0,
    ['own-network'],
  )
  holdsFor(
    t,
    'the control plane is silent, and no more others answer than not',
    ({ controlPlane, others }) => controlPlane === 'silent' && others.passing <= others.failing,
    ['own-network'],
  )
  const isThere = ({ routes, silence }: Evidence) => routes === 'there' && silence === 'target'
  holdsFor(
    t,
    'the control plane is silent, and most others answer',
    (evidence) =>
      isThere(evidence) &&
      evidence.controlPlane === 'silent' &&
      evidence.others.passing > evidence.others.failing,
    ['target'],
  )
  holdsFor(
    t,
    'one alone while the control plane answers: nobody else is asked',
    (evidence) => isThere(evidence) && evidence.controlPlane === 'answers' && evidence.others.failing === 0,
    ['target'],
  )
  holdsFor(
    t,
    'all at once while the name servers answer',
    (evidence) =>
      isThere(evidence) &&
      ['answers', 'unknown'].includes(evidence.controlPlane) &&
      evidence.nameServers === 'answers',
    ['target'],
  )
  holdsFor(
    t,
    'all at once, and the name servers as well',
    ({ controlPlane, nameServers, others }) =>
      controlPlane !== 'unasked' && nameServers === 'silent' && others.passing === 0 && others.failing > 0,
    ['own-network'],
  )
  holdsFor(
    t,
    'a name that no name server was there for',
    ({ silence, controlPlane, nameServers, others }) =>
      silence === 'lookup' &&
      controlPlane !== 'unasked' &&
      (nameServers === 'silent' || (nameServers === 'never' && others.passing === 0)),
    ['own-network'],
  )
  holdsFor(
    t,
    'many at once where nobody else can tell',
    ({ routes, controlPlane, nameServers, others }) =>
      routes === 'there' &&
      controlPlane === 'unknown' &&
      nameServers === 'never' &&
      others.passing === 0 &&
      others.failing >= 2,
    ['own-network'],
  )
})

t.test('more hosts that answer never speak against the network of the agent', async (t) => {
  for (const evidence of everything) {
    const { passing, failing } = evidence.others
    if (verdictOf(evidence) !== 'target') continue
    const more = verdictOf({ ...evidence, others: { passing: passing + 1, failing } })
    t.equal(more, 'target', JSON.stringify(evidence))
  }
})
