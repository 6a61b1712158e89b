import dgram from 'node:dgram'
import net from 'node:net'
import { type Answer, decode, encode, type Packet } from 'dns-packet'
import type { Test } from 'tap'

/** A question as it came, and the ways to answer it or not. */
export type Asked = {
  packet: Packet & { id: number }
  over: 'UDP' | 'TCP'
  /** The answer that a well-behaved server would give. */
  answer(answers: Answer[], change?: Partial<Packet> & { rcode?: number }): Buffer
  /** Sends bytes back; over TCP with their length before them. */
  send(bytes: Buffer): void
  /** TCP only. */
  socket: net.Socket | null
}

export type NameServer = { port: number; asked: Asked[] }

/** A name server on UDP and TCP of one port, which does with every question what the test says. */
export const nameServer = async (t: Test, respond: (asked: Asked) => void): Promise<NameServer> => {
  const asked: Asked[] = []
  const receive = (bytes: Buffer, way: Pick<Asked, 'over' | 'send' | 'socket'>): void => {
    const packet = decode(bytes) as Asked['packet']
    const one: Asked = { packet, answer: (answers, change) => answerTo(packet, answers, change), ...way }
    asked.push(one)
    respond(one)
  }
  const { tcp, udp, port } = await bothOnOnePort()
  const sockets = new Set<net.Socket>()
  udp.on('message', (bytes, from) =>
    receive(bytes, { over: 'UDP', socket: null, send: (reply) => udp.send(reply, from.port, from.address) }),
  )
  tcp.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.once('data', (bytes) =>
      receive(bytes.subarray(2), {
        over: 'TCP',
        socket,
        send: (reply) => socket.write(Buffer.concat([lengthOf(reply), reply])),
      }),
    )
  })
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => tcp.close(resolve))
    await new Promise<void>((resolve) => udp.close(resolve))
  })
  return { port, asked }
}

const lengthOf = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

const bothOnOnePort = async (): Promise<{ tcp: net.Server; udp: dgram.Socket; port: number }> => {
  const tcp = net.createServer()
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as net.AddressInfo
  const udp = dgram.createSocket('udp4')
  const bound = await new Promise<boolean>((resolve) => {
    udp.once('error', () => resolve(false))
    udp.bind(port, '127.0.0.1', () => resolve(true))
  })
  if (bound) return { tcp, udp, port }
  tcp.close()
  udp.close()
  return bothOnOnePort()
}

/** `rcode` is the lower half of the header's last byte. */
const answerTo = (
  { id, questions }: Asked['packet'],
  answers: Answer[],
  { rcode = 0, ...change }: Partial<Packet> & { rcode?: number } = {},
): Buffer => {
  const bytes = encode({
    type: 'response',
    id,
    flags: 0x0180,
    questions: questions ?? [],
    answers,
    ...change,
  })
  bytes.writeUInt8((bytes.readUInt8(3) & 0xf0) | rcode, 3)
  return bytes
}

/** An address record. */
export const address = (name: string, data: string): Answer => ({
  type: 'A',
  name,
  ttl: 300,
  class: 'IN',
  data,
})
