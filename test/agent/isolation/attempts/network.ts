/** Ways to the network, and to other processes by sockets. */
import { type Cells, connected, net, type Row, rows } from './row.ts'

const tcp = rows('tcp', true, /^EACCES/, [
  ['a connection', connected(`net.connect(facts.port, '127.0.0.1')`)],
  ['a connection over IPv6', connected(`net.connect(facts.port, '::ffff:127.0.0.1')`)],
  [
    'a connection from a worker',
    `const { Worker } = require('worker_threads'); return await new Promise((y, n) => new Worker("const s = require('net').connect(" + facts.port + ", '127.0.0.1'); s.on('connect', () => { require('worker_threads').parentPort.postMessage('connected'); s.destroy() }); s.on('error', (e) => { throw e })", { eval: true, stderr: true }).on('message', y).on('error', n))`,
  ],
  ['a request', `return (await fetch('http://127.0.0.1:' + facts.port)).status`],
  ['connect(2) itself', `const fd = sys('socket', 2, 1, 0); return sys('connect', fd, inet(facts.port), 16)`],
  [
    'connect(2) with fast open set before',
    `const fd = sys('socket', 2, 1, 0); const on = Buffer.alloc(4); on.writeUInt32LE(1); sys('setsockopt', fd, 6, 30, on, 4); return sys('connect', fd, inet(facts.port), 16)`,
  ],
  [
    'with the map and set of the hooks overwritten',
    `const { get } = Map.prototype; const { has } = Set.prototype; const { String } = globalThis; Object.assign(Map.prototype, { get: () => true }); Object.assign(Set.prototype, { has: () => true }); globalThis.String = () => ''; try { ${connected(`net.connect(facts.port, '127.0.0.1')`)} } finally { Object.assign(Map.prototype, { get }); Object.assign(Set.prototype, { has }); globalThis.String = String }`,
  ],
  [
    'through the handle under the socket',
    `const { TCP, TCPConnectWrap, constants } = process.binding('tcp_wrap'); const handle = new TCP(constants.SOCKET); const error = handle.connect(new TCPConnectWrap(), '127.0.0.1', facts.port); if (error) throw Object.assign(new Error(), { code: require('util').getSystemErrorName(error) }); return 'connecting'`,
  ],
])

const sockets = rows('seccomp', true, /^EPERM/, [
  [
    'data with the first packet (fast open)',
    `const fd = sys('socket', 2, 1, 0); return sys('sendto', fd, Buffer.from('x'), 1, 0x20000000, inet(facts.port), 16)`,
  ],
  [
    'the same by sendmsg',
    `const fd = sys('socket', 2, 1, 0); const vector = Buffer.alloc(16); vector.writeBigUInt64LE(at(Buffer.from('x'))); vector.writeBigUInt64LE(1n, 8); const header = Buffer.alloc(56); header.writeBigUInt64LE(at(inet(facts.port))); header.writeUInt32LE(16, 8); header.writeBigUInt64LE(at(vector), 16); header.writeBigUInt64LE(1n, 24); return sys('sendmsg', fd, header, 0x20000000)`,
  ],
  ['UDP', `return sys('socket', 2, 2, 0)`],
  ['UDP over IPv6', `return sys('socket', 10, 2, 0)`],
  [
    'a datagram of Node',
    `const s = require('dgram').createSocket('udp4'); s.unref(); await new Promise((y, n) => { s.on('error', n); s.send('x', facts.port, '127.0.0.1', (e) => e ? n(e) : y()) }); return 'sent'`,
  ],
  ['listening without a port of its own', `const fd = sys('socket', 2, 1, 0); return sys('listen', fd, 1)`],
  ['a port of its own', `const fd = sys('socket', 2, 1, 0); return sys('bind', fd, inet(0), 16)`],
  [
    'a server',
    `${net} const s = net.createServer(); s.unref(); await new Promise((y, n) => s.on('error', n).listen(0, '127.0.0.1', y)); return s.address().port`,
    /^(EPERM|EACCES)/,
  ],
  [
    'an inspector',
    `require('inspector').open(0); const url = require('inspector').url(); if (!url) throw Object.assign(new Error('no inspector'), { code: 'EPERM' }); return url`,
  ],
  ['a local socket', connected(`net.connect(facts.socket)`)],
  [
    'a local socket of its own',
    `${net} const s = net.createServer(); s.unref(); await new Promise((y, n) => s.on('error', n).listen(facts.own + '/socket', y)); return 'listens'`,
  ],
  ['an abstract socket', `return sys('socket', 1, 1, 0)`],
  ['local datagrams', `return sys('socket', 1, 2, 0)`],
  [
    'a pair of datagrams, to send to a path',
    `const pair = Buffer.alloc(8); sys('socketpair', 1, 2, 0, pair); return 'has a pair'`,
  ],
  ['netlink', `return sys('socket', 16, 3, 0)`, /^EAFNOSUPPORT/],
])

const socketsWithRights = rows('seccomp', false, /^EPERM/, [
  [
    'a stream over several ways (MPTCP)',
    `const fd = sys('socket', 2, 1, 262); return sys('connect', fd, inet(facts.port), 16)`,
  ],
  ['a raw socket', `return sys('socket', 2, 3, 1)`],
  ['a raw socket over IPv6', `return sys('socket', 10, 3, 58)`],
  ['pings', `return sys('socket', 2, 2, 1)`],
  ['SCTP', `return sys('socket', 2, 1, 132)`],
  ['SCTP in packets', `return sys('socket', 2, 5, 132)`],
  ['UDP-Lite', `return sys('socket', 2, 2, 136)`],
  ['DCCP', `return sys('socket', 2, 6, 33)`],
  ['a pair over the network', `return sys('socketpair', 2, 1, 0, Buffer.alloc(8))`],
  ['local packets', `return sys('socket', 1, 5, 0)`],
  ...[
    ['key management', 15],
    ['packets', 17],
    ['RDS', 21],
    ['CAN', 29],
    ['TIPC', 30],
    ['Bluetooth', 31],
    ['RxRPC', 33],
    ['the cryptography of the kernel', 38],
    ['NFC', 39],
    ['the host of a virtual machine', 40],
    ['KCM', 41],
    ['Qualcomm’s routers', 42],
    ['SMC', 43],
    ['XDP', 44],
    ['MCTP', 45],
    ['no family at all', 0],
  ].map(
    ([name, family]): Cells => [
      `sockets of ${name}`,
      `return sys('socket', ${family}, 3, 0)`,
      /^EAFNOSUPPORT/,
    ],
  ),
  ['a ring of operations (io_uring)', `return sys('io_uring_setup', 8, Buffer.alloc(120))`],
  [
    'a name from servers of its own',
    `const { Resolver } = require('dns').promises; const r = new Resolver({ timeout: 200, tries: 1 }); r.setServers(['127.0.0.1:' + facts.port]); return await r.resolve4('example.com')`,
    /ECONNREFUSED|ETIMEOUT|ENOTFOUND|EPERM|ECANCELLED/,
  ],
  [
    'a name from the system',
    `return (await require('dns').promises.lookup('example.com')).address`,
    /EAI_AGAIN|ENOTFOUND|EAI_FAIL/,
  ],
  [
    'the metadata service',
    `return (await fetch('http://169.254.169.254/latest/meta-data/', { signal: AbortSignal.timeout(5000) })).status`,
    /EACCES/,
  ],
])

export const networkAttempts: readonly Row[] = [...tcp, ...sockets, ...socketsWithRights]
