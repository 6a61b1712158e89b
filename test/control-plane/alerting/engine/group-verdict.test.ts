import t from 'tap'
import {
  type GroupHealthRule,
  type GroupHealthState,
  type GroupMember,
  groupVerdict,
  nextGroupHealth,
} from '../../../../control-plane/alerting/engine/group-verdict.ts'
import { fc } from '../../../support/fast-check.ts'

/** `f`ails and was told, is `p`assing or not told, is not known (`n`), `m`uted, in maintenance untold (`w`) or told before it (`W`), kept `b`ack. */
const memberOf = (letter: string): GroupMember => ({
  told: 'fWm'.includes(letter) ? 'failing' : null,
  isKnown: letter !== 'n',
  isMuted: letter === 'm',
  inMaintenance: letter === 'w' || letter === 'W',
  isKeptBack: letter === 'b',
})

const rule = (failingWhen: GroupHealthRule['failingWhen'], percentage = 50): GroupHealthRule => ({
  failingWhen,
  percentage,
  tells: 'BOTH',
})

const cases: [members: string, rule: GroupHealthRule, verdict: string][] = [
  ['', rule('ANY'), 'unknown 0/0'],
  ['nmwb', rule('ANY'), 'unknown 0/0'],
  ['ppp', rule('ANY'), 'passing 0/3'],
  ['pfp', rule('ANY'), 'failing 1/3'],
  ['ffp', rule('ALL'), 'passing 2/3'],
  ['fff', rule('ALL'), 'failing 3/3'],
  ['ffm', rule('ALL'), 'failing 2/2'],
  ['ffnwb', rule('ALL'), 'failing 2/2'],
  ['fppp', rule('PERCENTAGE'), 'passing 1/4'],
  ['ffpp', rule('PERCENTAGE'), 'failing 2/4'],
  ['ppp', rule('PERCENTAGE', 1), 'passing 0/3'],
  ['fpp', rule('PERCENTAGE', 34), 'passing 1/3'],
  ['fpp', rule('PERCENTAGE', 33), 'failing 1/3'],
  ['Wpp', rule('ANY'), 'failing 1/3'],
]

for (const [members, given, verdict] of cases)
  t.test(`of "${members}", ${given.failingWhen} ${given.percentage}: ${verdict}`, async (t) => {
    const { state, failing, counted } = groupVerdict([...members].map(memberOf), given)
    t.equal(`${state} ${failing}/${counted}`, verdict)
  })

const member = fc.record({
  told: fc.constantFrom<GroupMember['told']>(null, 'degraded', 'failing'),
  isKnown: fc.boolean(),
  isMuted: fc.boolean(),
  inMaintenance: fc.boolean(),
  isKeptBack: fc.boolean(),
})
const members = fc.array(member, { maxLength: 12 })
const rules = fc.record({
  failingWhen: fc.constantFrom<GroupHealthRule['failingWhen']>('ANY', 'ALL', 'PERCENTAGE'),
  percentage: fc.integer({ min: 1, max: 100 }),
  tells: fc.constantFrom<GroupHealthRule['tells']>('GROUP', 'BOTH'),
})
const alone: GroupMember = {
  told: null,
  isKnown: true,
  isMuted: false,
  inMaintenance: false,
  isKeptBack: false,
}
const fails = { ...alone, told: 'failing' } as const

t.test('what is silenced changes nothing, and order does not count', async () => {
  fc.assert(
    fc.property(members, rules, (all, given) => {
      const known = groupVerdict(all, given)
      const quiet = [
        { ...fails, isMuted: true },
        { ...alone, inMaintenance: true },
        { ...alone, isKnown: false },
      ]
      return (
        JSON.stringify(groupVerdict([...quiet, ...all.toReversed()], given)) === JSON.stringify(known) &&
        known.failing <= known.counted &&
        (known.state === 'unknown') === (known.counted === 0)
      )
    }),
  )
})

t.test(
  'one that fails instead of passing makes no failing group well; ANY is weaker than n %, and that than ALL',
  async () => {
    fc.assert(
      fc.property(members, rules, (all, given) => {
        const isFailing = (some: readonly GroupMember[], by: GroupHealthRule): boolean =>
          groupVerdict(some, by).state === 'failing'
        const [before, after] = [
          [...all, alone],
          [...all, fails],
        ]
        const byAny = isFailing(all, { ...given, failingWhen: 'ANY' })
        const byShare = isFailing(all, { ...given, failingWhen: 'PERCENTAGE' })
        const byAll = isFailing(all, { ...given, failingWhen: 'ALL' })
        const isWeaker = (!byAll || byShare) && (!byShare || byAny)
        return isWeaker && (!isFailing(before, given) || isFailing(after, given))
      }),
    )
  },
)

t.test('failures and recoveries are told in turns, each when it is so and not before', async () => {
  fc.assert(
    fc.property(fc.array(members, { maxLength: 30 }), rules, (course, given) => {
      let state: GroupHealthState = { state: 'unknown', failing: 0, counted: 0, since: 0, told: null }
      const told: string[] = []
      const expected: string[] = []
      for (const [index, all] of course.entries()) {
        const verdict = groupVerdict(all, given)
        const { next, tell } = nextGroupHealth(state, verdict, { tells: given.tells, now: index + 1 })
        const isNew = verdict.state !== state.state
        if (next.since !== (isNew ? index + 1 : state.since)) return false
        state = next
        if (tell !== null) told.push(`${index} ${tell}`)
        // By the history alone: what was known last that was not unknown.
        const last = expected.at(-1)?.split(' ')[1] ?? 'recovery'
        if (verdict.state === 'failing' && last === 'recovery') expected.push(`${index} failure`)
        if (verdict.state === 'passing' && last === 'failure') expected.push(`${index} recovery`)
      }
      return JSON.stringify(told) === JSON.stringify(expected)
    }),
  )
})

t.test('a group that leaves it to its checks tells nothing and remembers nothing told', async (t) => {
  const failing = { state: 'failing', failing: 1, counted: 1, since: 1, told: 'failing' } as const
  const verdict = groupVerdict([alone], rule('ANY'))
  const { next, tell } = nextGroupHealth(failing, verdict, { tells: 'CHECKS', now: 2 })
  t.strictSame([next.state, next.told, tell], ['passing', null, null])
})
