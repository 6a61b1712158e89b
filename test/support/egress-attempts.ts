/**
 * Ways by which code in a script's process may try to reach what it may not: each a body of an async function with `require` and `facts`.
 * In a process without egress proxy and isolation each of them gets through. `refusedBy` says who stops it in a script's process: the `egress proxy`,
 * which is asked and judges; the `program` inside the process, which refuses (and the kernel again, where it isolates); or
 * the `kernel` alone, where Node's own permissions are off.
 */
export type EgressFacts = {
  /** Where somebody waits whom nobody may reach: TCP and UDP on 127.0.0.1, and a local socket. */
  tcpPort: number
  udpPort: number
  path: string
}

export type EgressAttempt = { name: string; code: string; refusedBy: 'egress-proxy' | 'program' | 'kernel' }

const dial = `const ended = (socket) => new Promise((resolve) => {
  for (const event of ['connect', 'secureConnect', 'error', 'close']) socket.on(event, resolve)
})
const net = require('net')
const dial = () => ended(net.connect(facts.tcpPort, '127.0.0.1'))
`

/** Gets hold of the handle under a socket, and of what its connections are asked with. */
const handles = `${dial}
const socket = new net.Socket()
let Request
const spy = net.connect(facts.tcpPort, '127.0.0.1')
spy.on('error', () => {})
const { constructor: TCP } = spy._handle
spy._handle.connect = function (request) { Request = request.constructor; return -13 }
await new Promise((resolve) => setTimeout(resolve, 50))
const raw = (address, method = 'connect') => {
  const handle = new TCP(0)
  const request = new Request()
  request.oncomplete = () => {}
  const code = handle[method](request, address, facts.tcpPort)
  return new Promise((resolve) => setTimeout(resolve, 100, [code, handle]))
}
`

const overwriting = (name: string, what: string): EgressAttempt => ({
  name: `${name} overwritten before a connection`,
  refusedBy: 'egress-proxy',
  code: `${dial}${what}\nawait dial()`,
})

export const egressAttempts: readonly EgressAttempt[] = [
  overwriting('Map.prototype.get', 'Map.prototype.get = () => true'),
  overwriting('Set.prototype.has', 'Set.prototype.has = () => true'),
  overwriting('String', "globalThis.String = () => '192.0.2.1'"),
  overwriting('Number', 'globalThis.Number = Object.assign(() => 1, Number)'),
  overwriting(
    'Reflect.apply',
    'const { apply } = Reflect; Reflect.apply = (f, self, args) => apply(f, self, args)',
  ),
  overwriting('net.isIP', `const { isIP } = net; net.isIP = () => 0`),
  overwriting(
    'Array.prototype.some',
    'Array.prototype.some = () => false; Array.prototype.includes = () => true',
  ),
  {
    name: 'fetch, with Map.prototype.get overwritten',
    refusedBy: 'egress-proxy',
    code: `Map.prototype.get = () => true
await fetch('http://127.0.0.1:' + facts.tcpPort).catch(() => {})`,
  },
  {
    name: 'an address that a lookup of its own finds',
    refusedBy: 'egress-proxy',
    code: `${dial}await ended(net.connect({ port: facts.tcpPort, host: 'target.example',
  lookup: (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }))`,
  },
  ...['0x7f.1', '2130706433', '0.0.0.0', '::ffff:127.0.0.1', 'localhost'].map(
    (spelling): EgressAttempt => ({
      name: `the address written as ${spelling}`,
      refusedBy: 'egress-proxy',
      code: `${dial}await ended(net.connect(facts.tcpPort, '${spelling}'))`,
    }),
  ),
  {
    name: 'the connect that sockets had before',
    refusedBy: 'program',
    code: `${handles}
Object.defineProperty(socket, '_handle', { value: new TCP(0), writable: true })
await raw('127.0.0.1')`,
  },
  {
    name: 'a handle of one’s own, over IPv6',
    refusedBy: 'program',
    code: `${handles}await raw('::ffff:127.0.0.1', 'connect6')`,
  },
  {
    name: 'a handle of one’s own, with what calls functions overwritten',
    refusedBy: 'program',
    code: `${handles}
for (const name of ['call', 'apply', 'bind']) { const real = Function.prototype[name]; Function.prototype[name] = function (...args) { return real.apply(this, args) } }
Reflect.apply = () => 0
await raw('127.0.0.1')`,
  },
  {
    name: 'a datagram',
    refusedBy: 'program',
    code: `const socket = require('dgram').createSocket('udp4')
await new Promise((resolve) => socket.send('x', facts.udpPort, '127.0.0.1', resolve))
socket.close()`,
  },
  {
    name: 'a datagram by dgram._createSocketHandle',
    refusedBy: 'program',
    code: `const { constructor: UDP } = require('dgram')._createSocketHandle(null, 0, 'udp4')
const handle = new UDP()
handle.bind('0.0.0.0', 0, 0)
handle.connect('127.0.0.1', facts.udpPort)
handle.send({ list: [], constructor: Object, oncomplete() {} }, [Buffer.from('x')], 1, false)
await new Promise((resolve) => setTimeout(resolve, 100))`,
  },
  {
    name: 'a name server of one’s own choice',
    refusedBy: 'program',
    code: `const { Resolver } = require('dns')
const resolver = new Resolver({ timeout: 200, tries: 1 })
resolver.setServers(['127.0.0.1:' + facts.udpPort])
await new Promise((resolve) => resolver.resolve4('secret.example', resolve))`,
  },
  {
    name: 'a name server set on the handle of a resolver',
    refusedBy: 'program',
    code: `const { Resolver } = require('dns')
const resolver = new Resolver({ timeout: 200, tries: 1 })
resolver._handle.setServers([[4, '127.0.0.1', facts.udpPort]])
await new Promise((resolve) => resolver.resolve4('secret.example', resolve))`,
  },
  {
    name: 'a local socket',
    refusedBy: 'program',
    code: `${dial}await ended(net.connect(facts.path))`,
  },
  {
    name: 'a local socket by the constructor of pipes, from a TLSSocket',
    refusedBy: 'program',
    code: `${handles}
const tls = new (require('tls').TLSSocket)(undefined, { pipe: true })
const { constructor: Pipe } = tls._handle._parent
const request = new Request()
request.oncomplete = () => {}
new Pipe(0).connect(request, facts.path)
await new Promise((resolve) => setTimeout(resolve, 100))`,
  },
  {
    name: 'TLS to a local socket',
    refusedBy: 'program',
    code: `${dial}await ended(require('tls').connect({ path: facts.path }))`,
  },
  {
    name: 'another process',
    refusedBy: 'kernel',
    code: `require('child_process').spawnSync(require('process').execPath,
  ['-e', 'require("net").connect(' + facts.tcpPort + ', "127.0.0.1").on("connect", () => process.exit())'], { env: {} })`,
  },
  {
    name: 'a thread',
    refusedBy: 'kernel',
    code: `const { Worker } = require('worker_threads')
const code = 'require("net").connect(' + facts.tcpPort + ', "127.0.0.1").on("connect", () => process.exit())'
await new Promise((resolve) => new Worker(code, { eval: true, execArgv: [], env: {} }).on('exit', resolve).on('error', resolve))`,
  },
]
