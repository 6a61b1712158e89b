import t from 'tap'
import { type CutRequest, createCutter, maxPackets } from '../../../../../agent/net/evidence/capture/cut.ts'
import { type CapturedPacket, readPcap } from '../../../../../agent/net/evidence/capture/pcap.ts'
import {
  captureFile,
  dnsQuestion,
  type Kind,
  tcp6Packet,
  tcpPacket,
  udpPacket,
  unreachable,
} from '../../../../support/packets.ts'

const at = 1_700_000_000_000
const us: [string, number] = ['192.0.2.1', 40_000]
const them: [string, number] = ['198.51.100.7', 443]
const name = 'shop.example.com'
const flow = { localPort: 40_000, remoteAddress: '198.51.100.7', remotePort: 443, secure: true }
const wanted: CutRequest = { flows: [flow], name, since: at, until: at + 1000 }
const dnsPorts = new Set([53])

const cutAll = (files: Buffer[], all: CutRequest[]): (CapturedPacket[] | null)[] => {
  const cutter = createCutter(all, dnsPorts)
  for (const file of files) for (const _ of cutter.read(file));
  return cutter.results().map((found) => (found === null ? null : [...readPcap(found.file)]))
}

const cut = (packets: [number, Buffer][], one: CutRequest = wanted): CapturedPacket[] | null =>
  cutAll([captureFile(packets)], [one])[0] ?? null

t.test(
  'both directions of the connection are kept, in the order of their times, and nobody else’s',
  async (t) => {
    const syn = tcpPacket({ from: us, to: them })
    const answer = tcpPacket({ from: them, to: us })
    const packets = cut([
      [at + 2, answer],
      [at + 1, syn],
      [at + 3, tcpPacket({ from: ['192.0.2.1', 40_001], to: them })],
      [at + 3, tcpPacket({ from: us, to: ['198.51.100.8', 443] })],
      [at + 3, tcpPacket({ from: us, to: ['198.51.100.7', 444] })],
      [at - 1000, syn],
    ])
    t.match(packets, [{ at: at + 1, bytes: syn, originalLength: syn.length }, { bytes: answer }])
    t.equal(packets?.length, 2)
  },
)

t.test('what an application says in clear is never kept, its length is', async (t) => {
  const request = 'GET / HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n'
  const whole = tcpPacket({ from: us, to: them, payload: request })
  for (const secure of [true, false]) {
    const [packet] = cut([[at, whole]], { ...wanted, flows: [{ ...flow, secure }] }) ?? []
    t.equal(packet?.bytes.length, 20 + 32)
    t.equal(packet?.originalLength, whole.length)
  }
})

const record = (type: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from([type, 3, 3, bytes.length >> 8, bytes.length & 255]), bytes])
}

t.test('the records of a TLS handshake are kept up to the first with application data', async (t) => {
  const hello = record(22, 'hello')
  const alert = record(21, 'no')
  const data = record(23, 'the application')
  const payloads: [Buffer, Buffer][] = [
    [Buffer.concat([hello, alert, data, hello]), Buffer.concat([hello, alert])],
    [data, Buffer.alloc(0)],
    [Buffer.from('the middle of a record'), Buffer.alloc(0)],
  ]
  for (const [payload, kept] of payloads) {
    const [packet] = cut([[at, tcpPacket({ from: us, to: them, payload })]]) ?? []
    t.same(packet?.bytes.subarray(52), kept)
    const plain = { ...wanted, flows: [{ ...flow, secure: false }] }
    const [clear] = cut([[at, tcpPacket({ from: us, to: them, payload })]], plain) ?? []
    t.equal(clear?.bytes.length, 52, 'without TLS nothing is a handshake')
  }
})

t.test('a record that the ring has cut short ends with it', async (t) => {
  const payload = record(22, Buffer.alloc(2000, 7))
  const [packet] = cut([[at, tcpPacket({ from: us, to: them, payload })]]) ?? []
  t.equal(packet?.bytes.length, 512 - 20)
  t.equal(packet?.originalLength, 20 + 32 + payload.length)
})

t.test('DNS messages about the name are kept, also with a search domain, and no others', async (t) => {
  const server: [string, number] = ['192.0.2.53', 53]
  const asked = (question: string): Buffer =>
    udpPacket({ from: ['192.0.2.1', 5000], to: server, payload: dnsQuestion(question) })
  const packets = cut([
    [at, asked('shop.example.com')],
    [at + 1, asked('SHOP.example.com.corp.lan')],
    [at + 2, asked('xshop.example.com')],
    [at + 2, asked('example.com')],
    [at + 3, udpPacket({ from: server, to: ['192.0.2.1', 5000], payload: dnsQuestion(name) })],
    [at + 4, udpPacket({ from: us, to: ['192.0.2.53', 5353], payload: dnsQuestion(name) })],
  ])
  t.same(
    packets?.map((packet) => packet.at),
    [at, at + 1, at + 3],
  )
  t.match(packets?.[0]?.bytes.toString('latin1'), /shop/)
})

t.test(
  'name servers on other ports are known, and their messages until the end of the attempt',
  async (t) => {
    const server: [string, number] = ['192.0.2.53', 5353]
    const question = udpPacket({ from: ['192.0.2.1', 5000], to: server, payload: dnsQuestion(name) })
    const cutter = createCutter([wanted], new Set([53, 5353]))
    const file = captureFile([
      [at, question],
      [wanted.until, question],
      [wanted.until + 100, question],
    ])
    for (const _ of cutter.read(file));
    t.equal([...readPcap(cutter.results()[0]?.file ?? Buffer.alloc(0))].length, 2)
  },
)

t.test('whether the connections begin with what opens them is told', async (t) => {
  const begins = (...packets: Buffer[]): boolean | undefined => {
    const flows = [flow, { ...flow, localPort: 40_001 }]
    const cutter = createCutter([{ ...wanted, flows }], dnsPorts)
    for (const _ of cutter.read(captureFile(packets.map((packet, index) => [at + index, packet]))));
    return cutter.results()[0]?.beginsWithSyn
  }
  const opened = tcpPacket({ from: us, to: them, flags: 2 })
  const answer = tcpPacket({ from: them, to: us, flags: 0x12 })
  const data = tcpPacket({ from: us, to: them, flags: 0x18 })
  const otherData = tcpPacket({ from: ['192.0.2.1', 40_001], to: them, flags: 0x18 })
  t.equal(begins(opened, answer, data), true)
  t.equal(begins(answer, data), false)
  t.equal(begins(data), false)
  t.equal(begins(opened, otherData), false, 'of every connection')
  t.equal(begins(unreachable('10.0.0.1', '192.0.2.1', data)), true, 'an error about one is not its own')
})

t.test('an ICMP error about the connection is kept without what it quotes of the application', async (t) => {
  const quoted = tcpPacket({ from: us, to: them, payload: 'secret' })
  const other = tcpPacket({ from: ['192.0.2.1', 41_000], to: them })
  const packets = cut([
    [at, unreachable('10.0.0.1', '192.0.2.1', quoted)],
    [at, unreachable('10.0.0.1', '192.0.2.1', other)],
  ])
  t.equal(packets?.length, 1)
  t.equal(packets?.[0]?.bytes.length, 20 + 8 + 20 + 8)
  t.notMatch(packets?.[0]?.bytes.toString('latin1'), /secret/)
})

t.test('IPv6, and IPv4 inside IPv6', async (t) => {
  const six = tcp6Packet({ from: ['', 40_000], to: ['', 443] })
  t.equal(cut([[at, six]], { ...wanted, flows: [{ ...flow, remoteAddress: '::1' }] })?.length, 1)
  t.equal(cut([[at, six]], { ...wanted, flows: [{ ...flow, remoteAddress: '::2' }] }), null)
  const mapped = { ...wanted, flows: [{ ...flow, remoteAddress: '::ffff:198.51.100.7' }] }
  t.equal(cut([[at, tcpPacket({ from: us, to: them })]], mapped)?.length, 1)
})

t.test('capture files of every byte order, resolution and link are read', async (t) => {
  const packet = tcpPacket({ from: us, to: them })
  for (const kind of ['ethernet', 'raw', 'cooked', 'cooked2'] satisfies Kind[])
    for (const bigEndian of [false, true])
      for (const nanoseconds of [false, true]) {
        const [packets] = cutAll(
          [captureFile([[at + 0.25, packet]], { kind, bigEndian, nanoseconds })],
          [wanted],
        )
        t.match(packets, [{ at: at + 0.25, bytes: packet }], `${kind} ${bigEndian} ${nanoseconds}`)
      }
})

t.test('a file that is still written, or none at all, ends where it ends', async (t) => {
  const packet = tcpPacket({ from: us, to: them })
  const file = captureFile([
    [at, packet],
    [at + 1, packet],
  ])
  for (let length = 0; length < file.length; length += 1) {
    const [packets] = cutAll([file.subarray(0, length)], [wanted])
    const whole = Math.floor((length - 24) / ((file.length - 24) / 2))
    t.equal(packets?.length ?? 0, Math.max(0, whole))
  }
  t.same(cutAll([Buffer.alloc(5000, 0xff), Buffer.from('not a capture file at all')], [wanted]), [null])
  const lying = Buffer.from(file)
  lying.writeUInt32LE(0xffffffff, 24 + 8)
  t.same(cutAll([lying], [wanted]), [null])
})

t.test('many attempts share one pass, and each gets its own packets from all files', async (t) => {
  const ports = Array.from({ length: 300 }, (_, index) => 30_000 + index)
  const file = (offset: number): Buffer =>
    captureFile(ports.map((port) => [at + offset, tcpPacket({ from: ['192.0.2.1', port], to: them })]))
  const all = ports.map((localPort) => ({ ...wanted, flows: [{ ...flow, localPort }] }))
  const results = cutAll([file(2), file(1)], all)
  t.equal(results.length, 300)
  t.ok(results.every((packets) => packets?.length === 2 && packets[0]?.at === at + 1))
  for (const [index, packets] of results.entries())
    if (packets?.[0]?.bytes.readUInt16BE(20) !== ports[index])
      t.fail(`attempt ${index} has another’s packets`)
})

t.test('of a long exchange the beginning and the end are kept', async (t) => {
  const packets = cut(
    Array.from({ length: 3000 }, (_, index) => [at + index, tcpPacket({ from: us, to: them })]),
  )
  t.equal(packets?.length, maxPackets)
  t.match([packets?.[0]?.at, packets?.at(-1)?.at], [at, at + 2999])
})

t.test('a long pass gives way to others', async (t) => {
  const file = captureFile(
    Array.from({ length: 90_000 }, (_, index) => [at + index, tcpPacket({ from: us, to: them })]),
  )
  t.equal([...createCutter([wanted], dnsPorts).read(file)].length, 18)
})
