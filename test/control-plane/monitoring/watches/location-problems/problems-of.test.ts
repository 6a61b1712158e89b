import t from 'tap'
import { oldestSupported, skewOf } from '../../../../../control-plane/monitoring/locations/agents/versions.ts'
import { problemsOf } from '../../../../../control-plane/monitoring/watches/location-problems/problems-of.ts'

const served = {
  ...{ isServed: true, lateMinutes: 0, scalesToZero: false, waitingMinutes: 0 },
  ...{ versions: ['1.4.2'], controlPlaneVersion: '1.5.0' },
}
const none = new Set<never>()

t.test('agents of the two minor versions before work, older ones are outdated', async (t) => {
  const outdated = (versions: string[], controlPlaneVersion: string) =>
    problemsOf({ ...served, versions, controlPlaneVersion }, none).OUTDATED_AGENTS
  t.equal(outdated(['1.3.0-rc.1', '1.4.2', '1.5.0', '1.6.0'], '1.5.0'), false)
  t.equal(outdated(['1.5.0', '1.2.9'], '1.5.0'), true)
  t.equal(outdated(['0.9.0'], '1.0.0'), true)
  t.equal(outdated([], '1.5.0'), false)
  t.equal(oldestSupported('1.5.3'), '1.3')
  t.equal(oldestSupported('0.1.1'), '0.0')
})

t.test('an agent is too old, newer, or goes with its control plane, whatever the patches are', async (t) => {
  const skews = ['1.2.9', '1.3.0', '1.5.9', '1.6.0-rc.1', '2.0.0', '0.9.0'].map((version) =>
    skewOf(version, '1.5.3'),
  )
  t.strictSame(skews, ['TOO_OLD', null, null, 'NEWER', 'NEWER', 'TOO_OLD'])
})

t.test('too few agents: from five late minutes of ten on, until there is none', async (t) => {
  const tooFew = (lateMinutes: number, isKnown: boolean) =>
    problemsOf({ ...served, lateMinutes }, new Set(isKnown ? ['TOO_FEW_AGENTS'] : [])).TOO_FEW_AGENTS
  t.strictSame([tooFew(4, false), tooFew(5, false)], [false, true])
  t.strictSame([tooFew(1, true), tooFew(0, true)], [true, false])
})

t.test('where no agent is, nothing can be said of how many and how old they are', async (t) => {
  t.strictSame(problemsOf({ ...served, isServed: false, lateMinutes: 9 }, none), {
    NO_AGENT: true,
    TOO_FEW_AGENTS: null,
    OUTDATED_AGENTS: null,
  })
})

t.test('an agent that an autoscaler took away is missed only when runs wait and nobody comes', async (t) => {
  const away = (waitingMinutes: number, isKnown: boolean, scalesToZero = true) =>
    problemsOf(
      { ...served, isServed: false, scalesToZero, waitingMinutes },
      new Set(isKnown ? ['NO_AGENT'] : []),
    ).NO_AGENT
  t.strictSame([away(0, false), away(4, false), away(5, false)], [false, false, true])
  t.equal(away(0, true), true, 'until somebody comes, also when what waited was missed meanwhile')
  t.equal(away(0, false, false), true, 'elsewhere at once')
  t.equal(problemsOf({ ...served, scalesToZero: true, waitingMinutes: 9 }, none).NO_AGENT, false)
})
