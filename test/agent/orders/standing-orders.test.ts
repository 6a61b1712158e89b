import t from 'tap'
import { createStandingOrders } from '../../../agent/orders/standing-orders.ts'
import { recordingLog } from '../../support/agent-io.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { standingOrder } from '../../support/orders-plane.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

t.test(
  'what was answered is on disk within a second: an agent that is killed knows until when it was heard',
  async (t) => {
    const dir = temporaryFolder(t)
    const clock = fakeClock()
    const { log } = recordingLog()
    const page = {
      location: 'here',
      revision: 'r',
      orders: [standingOrder('c', 'http://127.0.0.1/')],
      removed: [],
      next: null,
      whole: true,
      serverTime: 0,
    }
    const open = () =>
      createStandingOrders({
        ...{
          dir,
          agentId: 'agent',
          apiKey: 'pl_1',
          io: { clock: { ...clock, sleep: async () => {} }, log, random: () => 0 },
        },
        question: () => ({ agentId: 'agent', checkTypes: ['URL'], runtimeIds: [] }),
        isSettled: () => true,
        ask: async () => ({ ok: true, value: page }),
        openCertificate: () => {
          throw new Error('there is none')
        },
        clockAheadMs: () => 0,
      })
    const agent = open()
    const answer = { revision: 'r', agents: ['agent'], holdMs: 86_400_000, secondOwnerAfterMs: null }
    agent.onClaimed(answer, clock.now())
    await agent.settled()
    for (let answers = 0; answers < 3; answers++) {
      clock.advance(5000)
      agent.onClaimed(answer, clock.now())
      await agent.settled()
    }
    t.equal(agent.known()?.heardAt, clock.now())
    t.equal(open().known()?.heardAt, clock.now(), 'as after kill -9')
  },
)

t.test(
  'an agent has orders before it has tried its browser, and is then brought those that it lacks',
  async (t) => {
    const dir = temporaryFolder(t)
    const clock = fakeClock()
    const { log } = recordingLog()
    const idOf = { URL: 'u', BROWSER: 'b' } as const
    type Type = keyof typeof idOf
    const asked: { checkTypes: string[]; after: string | null }[] = []
    let revision = 'r1'
    const open = () => {
      let hasBrowser = false
      const orders = createStandingOrders({
        ...{ dir, agentId: 'agent', apiKey: 'pl_1' },
        io: { clock: { ...clock, sleep: async () => {} }, log, random: () => 0 },
        question: () => ({
          agentId: 'agent',
          checkTypes: hasBrowser ? ['URL', 'BROWSER'] : ['URL'],
          runtimeIds: [],
        }),
        isSettled: () => hasBrowser,
        ask: async ({ checkTypes, after }) => {
          asked.push({ checkTypes: [...checkTypes], after })
          const value = {
            location: 'here',
            revision,
            orders:
              after === null
                ? (checkTypes as Type[]).map((type) => standingOrder(idOf[type], 'http://127.0.0.1/'))
                : [],
            ...{ removed: [], next: null, whole: after === null, serverTime: 0 },
          }
          return { ok: true, value }
        },
        openCertificate: () => {
          throw new Error('there is none')
        },
        clockAheadMs: () => 0,
      })
      const answer = async () => {
        clock.advance(5000)
        const told = { revision, agents: ['agent'], holdMs: 86_400_000, secondOwnerAfterMs: null }
        orders.onClaimed(told, clock.now())
        await orders.settled()
        return [...orders.book.entries()].map(({ checkId }) => checkId).sort()
      }
      const tryBrowser = () => {
        hasBrowser = true
      }
      return { answer, tryBrowser, known: orders.known }
    }
    const agent = open()
    t.strictSame(await agent.answer(), ['u'], 'at once')
    agent.tryBrowser()
    revision = 'r2'
    t.strictSame(await agent.answer(), ['b', 'u'])
    t.equal(agent.known()?.revision, 'r1', 'what else has changed is yet to come')
    await agent.answer()
    t.equal(agent.known()?.revision, 'r2')
    t.strictSame(asked.splice(0), [
      { checkTypes: ['URL'], after: null },
      { checkTypes: ['BROWSER'], after: null },
      { checkTypes: ['URL', 'BROWSER'], after: 'r1' },
    ])
    const restarted = open()
    t.strictSame(await restarted.answer(), ['b', 'u'], 'what an earlier process had is kept')
    restarted.tryBrowser()
    await restarted.answer()
    t.strictSame(asked.splice(0), [], 'and nothing of it travels again')
  },
)
