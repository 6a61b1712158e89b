/** P20: what standing orders cost while nothing happens. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { endsWith, spawnAgent, type Teardown } from '../test/support/programs.ts'
import type { Bench } from './bench.ts'
import { residentMb } from './support/cpu-time.ts'
import { browsers, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { createChecks, keyOfNewLocation } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { until } from './support/wait.ts'

const checks = sized(10_000, 20)
const idleSeconds = sized(60, 2)
/** An agent with a Chromium tries it first, and asks for the orders of such checks once it knows. */
const settleMs = sized(90_000, 1000)

/** Passes on what is sent to `port`, and counts the bytes of both ways. */
const countingProxy = async (b: Teardown, port: number) => {
  const count = { bytes: 0 }
  const server = net.createServer((socket) => {
    const onward = net.connect(port, '127.0.0.1')
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        count.bytes += bytes.length
        to.write(bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  b.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, count }
}

export const standingOrders: Bench = {
  id: 'P20',
  name: 'p20-standing-orders',
  measures: `an agent that keeps standing orders for ${checks} checks, none of which is due: its bytes on the wire in ${idleSeconds} s, both ways and headers included, and its memory beside that of an agent without orders`,
  run: async (b) => {
    const installation = await install(b)
    const { db, controlPlane, folder } = installation
    const key = await keyOfNewLocation(controlPlane.url, 'empty')
    await createChecks(db, checks, (index) => ({
      name: `check ${index}`,
      request: { url: `https://shop-${index}.example/cart?of=${index}` },
      frequency: 1440,
    }))
    // Runs are another benchmark's: ten thousand checks a day are seven a minute.
    await db.execute((k) => k.deleteFrom('jobs'))
    await db.execute((k) =>
      k
        .updateTable('schedules')
        .set((at) => ({ next_at: at('next_at', '+', 86_400_000), from_at: at('from_at', '+', 86_400_000) })),
    )
    const agentOf = async (name: string, env: Record<string, string>) => {
      const { url, count } = await countingProxy(b, controlPlane.port)
      const spoolDir = `${folder}/${name}`
      return { program: endsWith(b, spawnAgent({ url, spoolDir, env, browsers })), count }
    }
    const without = await agentOf('without', { API_KEY: key })
    const beganAt = performance.now()
    const keeping = await agentOf('keeping', {})
    await keeping.program.line(/[1-9]\d* standing orders for when/)
    const fetchMs = performance.now() - beganAt
    await until('who has orders', { everyMs: 100, withinMs: 120_000 }, async () => {
      const holders = await db.select((k) => k.selectFrom('order_holders').select('agent_id'))
      return holders.length > 0
    })
    const fetched = keeping.count.bytes
    await sleep(settleMs)
    const before = [keeping.count.bytes, without.count.bytes] as const
    await sleep(idleSeconds * 1000)
    const perMinute = (now: number, then: number): number => ((now - then) * 60) / idleSeconds
    const bytes = perMinute(keeping.count.bytes, before[0])
    const bytesWithout = perMinute(without.count.bytes, before[1])
    const ordersMb = residentMb(keeping.program.pid) - residentMb(without.program.pid)
    return [
      {
        name: 'P20',
        work: `idle agent with ${grouped(checks)} standing orders`,
        ours: `${rounded(bytes)} B a minute (${rounded(bytes - bytesWithout)} for orders), ${rounded(ordersMb, 1)} MB for orders`,
        against: `${rounded(bytesWithout)} B a minute without orders`,
        ratio: `${rounded((100 * (bytes - bytesWithout)) / 1024)} % of 1 KB`,
        goal: '≤ 1 KB a minute and ≤ 30 MB for orders',
        met: bytes - bytesWithout <= 1024 && ordersMb <= 30,
        numbers: {
          checks,
          bytesPerMinute: rounded(bytes),
          bytesPerMinuteWithout: rounded(bytesWithout),
          ordersMb: rounded(ordersMb, 2),
          fetchedBytes: fetched,
          fetchMs: rounded(fetchMs),
        },
        notes: [
          `${grouped(checks)} orders came in ${rounded(fetched / 2 ** 20, 1)} MB within ${rounded(fetchMs / 1000, 1)} s of the agent's start`,
        ],
      },
    ]
  },
}
