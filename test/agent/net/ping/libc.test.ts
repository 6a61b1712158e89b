import { registerHooks } from 'node:module'
import { arch, platform } from 'node:os'
import t from 'tap'
import { CannotRun } from '../../../../agent/base/cannot-run.ts'
import { loadLibc } from '../../../../agent/net/ping/libc.ts'

const isSupported = platform() === 'linux' && ['x64', 'arm64'].includes(arch())

t.test(
  'where koffi is not there the run cannot be run, and says so',
  { skip: !isSupported && 'not 64-bit Linux' },
  async (t) => {
    const hooks = registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier === 'koffi' ? 'koffi-is-not-installed' : specifier, context),
    })
    const error = await loadLibc().catch((cause: unknown) => cause)
    hooks.deregister()
    t.ok(error instanceof CannotRun)
    t.match(error, {
      message: /^ICMP checks need the package "koffi", which cannot be loaded here: Cannot find package/,
    })
  },
)

t.test('calls say what the system says', { skip: !isSupported && 'not 64-bit Linux' }, async (t) => {
  const libc = await loadLibc()
  t.throws(() => libc.socket(2, 99, 0), { code: 'EINVAL', syscall: 'socket' })
  t.throws(() => libc.connect(-1, Buffer.alloc(16)), { code: 'EBADF' })
  t.throws(() => libc.receive(-1, 'data'), { code: 'EBADF' })
  t.same(libc.addressBytes(2, '127.0.0.1'), Buffer.from([127, 0, 0, 1]))
  t.same(libc.addressBytes(10, '::1'), Buffer.from([...Array(15).fill(0), 1]))
  t.equal(libc.addressBytes(2, '127.0.0.256'), null)
  t.equal(libc.interfaceIndex('lo'), 1)
  t.equal(libc.interfaceIndex('no-such-interface'), 0)
  const before = Date.now() - 1
  const now = libc.now()
  t.ok(before <= now && now <= Date.now() + 1, 'epoch milliseconds')
})

t.test(
  'a UDP socket sends and receives through it, with time stamps, and never waits',
  { skip: !isSupported && 'not 64-bit Linux' },
  async (t) => {
    const libc = await loadLibc()
    const fd = libc.socket(2, 2, 0)
    t.teardown(() => libc.close(fd))
    t.equal(libc.receive(fd, 'data'), null)
    t.equal(libc.receive(fd, 'errors'), null)
  },
)
