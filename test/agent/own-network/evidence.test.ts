import t from 'tap'
import { type Evidence, verdictOf } from '../../../agent/own-network/evidence.ts'

/** The whole of what can be known, with up to three others of each kind. */
const everything: Evidence[] = (['lookup', 'target'] as const).flatMap((silence) =>
  (['there', 'none', 'lost', 'unplugged'] as const).flatMap((routes) =>
    (['answers', 'silent', 'unknown', 'unasked'] as const).flatMap((controlPlane) =>
      (['answers', 'silent', 'unknown', 'unasked', 'never', 'cut-off'] as const).flatMap((nameServers) =>
        [0, 1, 2, 3].flatMap((passing) =>
          [0, 1, 2, 3].flatMap((failing) =>
            [0, 3].map((more) => ({
              silence,
              routes,
              controlPlane,
              nameServers,
              others: { passing, failing, lately: passing + more },
            })),
          ),
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
  const hasRoutes = ({ routes }: Evidence): boolean => routes === 'there'
  holdsFor(
    t,
    'a target that is silent while the control plane answers: nobody else is asked',
    (evidence) => hasRoutes(evidence) && evidence.silence === 'target' && evidence.controlPlane === 'answers',
    ['target'],
  )
  holdsFor(
    t,
    'somebody else answers, however many do not',
    (evidence) =>
      hasRoutes(evidence) &&
      evidence.silence === 'target' &&
      evidence.controlPlane !== 'unasked' &&
      evidence.nameServers !== 'unasked' &&
      evidence.others.passing > 0,
    ['target'],
  )
  holdsFor(
    t,
    'name servers that answer anything',
    (evidence) =>
      hasRoutes(evidence) && evidence.controlPlane !== 'unasked' && evidence.nameServers === 'answers',
    ['target'],
  )
  holdsFor(
    t,
    'the control plane and the name servers are silent, and nobody else answers',
    ({ controlPlane, nameServers, others }) =>
      controlPlane === 'silent' &&
      ['silent', 'cut-off'].includes(nameServers) &&
      others.passing + others.lately === 0,
    ['own-network'],
  )
  holdsFor(
    t,
    'name servers that are cut off say nothing against a control plane that answers',
    (evidence) =>
      hasRoutes(evidence) && evidence.controlPlane === 'answers' && evidence.nameServers === 'cut-off',
    ['target'],
  )
  holdsFor(
    t,
    'a name that no name server was there for',
    ({ silence, nameServers, others }) =>
      silence === 'lookup' &&
      (nameServers === 'silent' || (nameServers === 'never' && others.passing + others.lately === 0)),
    ['own-network'],
  )
  const isLeftAlone = ({ silence, controlPlane, nameServers, others }: Evidence): boolean =>
    silence === 'target' &&
    controlPlane === 'unknown' &&
    ['never', 'unknown'].includes(nameServers) &&
    others.passing === 0
  holdsFor(
    t,
    'many at once where nobody else can tell',
    (evidence) => isLeftAlone(evidence) && evidence.others.failing >= 2 && evidence.others.lately === 0,
    ['own-network'],
  )
  holdsFor(
    t,
    'many at once, and others that answered within the last minute',
    (evidence) => evidence.routes === 'there' && isLeftAlone(evidence) && evidence.others.lately > 0,
    ['target'],
  )
  holdsFor(
    t,
    'no cable, and nobody answers',
    ({ routes, others }) => routes === 'unplugged' && others.passing === 0,
    ['own-network'],
  )
})

t.test('more hosts that answer never speak against the network of the agent', async (t) => {
  for (const evidence of everything) {
    const { passing, failing, lately } = evidence.others
    if (verdictOf(evidence) !== 'target') continue
    const others = { passing: passing + 1, failing, lately: lately + 1 }
    const more = verdictOf({ ...evidence, others })
    t.equal(more, 'target', JSON.stringify(evidence))
  }
})
