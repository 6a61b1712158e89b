// Runs in test:all only: it waits for packets in networks of its own.
import t from 'tap'
import type { Outcome } from '../../protocol/result.ts'
import { journeyOfOwnNetwork, type LabStep, ownNetworkLabProblem } from '../support/own-network-lab.ts'

const problem = ownNetworkLabProblem()
const skip = problem === null ? false : problem

const wordOf = (outcome: Outcome): string =>
  outcome.kind === 'observed' ? (outcome.observation.failure?.code ?? 'passed') : outcome.kind

const told = ({ outcomes }: LabStep): Record<string, string> =>
  Object.fromEntries(Object.entries(outcomes).map(([host, outcome]) => [host, wordOf(outcome)]))

const reasonsOf = ({ outcomes }: LabStep): string[] =>
  Object.values(outcomes).map((outcome) => (outcome.kind === 'could-not-run' ? outcome.reason : ''))

const addresses = ['10.88.1.2', '10.88.1.3', '10.88.1.4', '10.88.1.5', '10.88.1.6']
const all = (hosts: string[], word: string) => Object.fromEntries(hosts.map((host) => [host, word]))
const some = addresses.slice(0, 3)

t.test("failures of the agent's own network are not told as those of its targets", { skip }, async (t) => {
  const steps = new Map((await journeyOfOwnNetwork('open')).map((step) => [step.name, step]))
  const step = (name: string): LabStep => steps.get(name) ?? { name, outcomes: {}, judged: 0 }

  t.same(told(step('all is well')), all([...addresses, 'one.test'], 'passed'))
  t.same(told(step('one target is away')), { '10.88.1.2': 'TIMEOUT' }, 'a target alone')
  t.same(
    told(step('one of many targets is away')),
    { ...all(some, 'passed'), '10.88.1.2': 'TIMEOUT' },
    'one of many',
  )
  t.same(
    told(step('all targets are away')),
    all(some, 'TIMEOUT'),
    'all of them, while the control plane and the name server answer',
  )
  t.same(told(step('the control plane is away')), all(some, 'passed'), 'targets that answer')

  for (const [name, hosts, fact] of [
    ['no default route', some, /its default route was gone/],
    ['no interface', [...some, 'two.test'], /this machine had no route to anywhere/],
    ['no carrier', ['10.88.1.3'], /its network devices were connected with nothing/],
  ] as const) {
    t.same(told(step(name)), all([...hosts], 'could-not-run'), name)
    for (const reason of reasonsOf(step(name))) {
      t.match(reason, /^This agent's own network was away \(/, name)
      t.match(reason, fact, name)
      t.match(reason, /What was seen: \S/, name)
    }
    t.equal(step(name).judged, hosts.length, 'each is counted')
  }

  const nameless = step('the name server is away')
  t.same(told(nameless), { 'two.test': 'could-not-run', '10.88.1.4': 'passed' })
  t.match(reasonsOf(nameless).join(''), /no name server answered/)
  t.same(told(step('all is well again')), all([...addresses, 'one.test'], 'passed'))
})

t.test(
  'in a closed network, whose name server says SERVFAIL for the root, outages are failures',
  { skip },
  async (t) => {
    const steps = new Map((await journeyOfOwnNetwork('closed')).map((step) => [step.name, step]))
    const step = (name: string): LabStep => steps.get(name) ?? { name, outcomes: {}, judged: 0 }
    const names = ['one.test', 'two.test', 'three.test', 'four.test', 'five.test']
    t.same(told(step('all is well')), all(names, 'passed'))
    t.same(told(step('a zone is broken')), { 'broken.test': 'ESERVFAIL' })
    t.same(told(step('a zone is broken beside others')), {
      ...all(names, 'passed'),
      'broken.test': 'ESERVFAIL',
    })
    t.same(told(step('a rack is away')), { ...all(names.slice(0, 4), 'TIMEOUT'), 'five.test': 'passed' })
    t.same(told(step('no carrier')), { 'three.test': 'could-not-run' }, 'the cable of the agent')
  },
)
