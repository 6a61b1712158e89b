import t, { type Test } from 'tap'
import { createMarker, type Marker } from '../../../../../agent/net/evidence/capture/marker.ts'
import { agentIo } from '../../../../support/agent-io.ts'
import { until } from '../../../../support/until.ts'

/** A marker, and what it has received of itself. */
const start = async (t: Test): Promise<{ marker: Marker; received: Buffer[] }> => {
  const io = agentIo()
  const received: Buffer[] = []
  const datagrams: typeof io.datagrams = (type) =>
    io.datagrams(type).on('message', (bytes) => received.push(bytes))
  const marker = createMarker({ ...io, datagrams })
  t.teardown(marker.close)
  t.ok((await marker.open()) > 0)
  return { marker, received }
}

t.test('the last number that a file holds is found, and no other’s', async (t) => {
  const { marker, received } = await start(t)
  const first = await marker.send(1)
  const second = await marker.send(3)
  t.ok(second > first)
  await until('the datagrams', () => received.length === 4)
  const [one, ...two] = received as [Buffer, ...Buffer[]]
  t.equal(marker.lastIn(Buffer.concat([Buffer.from('packets'), one, Buffer.from('packets')])), first)
  t.equal(marker.lastIn(Buffer.concat([one, ...two])), second)
  t.equal(marker.lastIn(Buffer.from('packets')), 0)
  const other = await start(t)
  t.equal(other.marker.lastIn(one), 0)
})

t.test('a file that ends within a number does not hold it', async (t) => {
  const { marker, received } = await start(t)
  for (let sent = 0; sent < 12; sent += 1) await marker.send(1)
  await until('the datagrams', () => received.length === 12)
  const last = received[11] as Buffer
  const end = last.lastIndexOf('12') + 2
  t.equal(marker.lastIn(last.subarray(0, end)), 12)
  for (let length = 0; length < end; length += 1) t.ok(marker.lastIn(last.subarray(0, length)) < 12)
})

t.test('as many datagrams as fill a block of the kernel arrive all', async (t) => {
  const { marker, received } = await start(t)
  await marker.send(460)
  await until('the datagrams', () => received.length === 460)
  t.ok(received.every((bytes) => bytes.length === 512))
})

t.test('one that is closed sends nothing and does not fail', async (t) => {
  const { marker, received } = await start(t)
  marker.close()
  await marker.send(1)
  t.equal(received.length, 0)
})
