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
