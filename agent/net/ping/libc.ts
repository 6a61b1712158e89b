import { arch, platform } from 'node:os'
import { getSystemErrorName } from 'node:util'
import { CannotRun } from '../../base/cannot-run.ts'

/** One message of a socket: its bytes and the control messages that the kernel added. */
type Message = { bytes: Buffer; control: Buffer }

/**
 * The few calls of the C library that Node does not offer: sockets of other kinds than UDP and TCP. No call blocks.
 * A failed one throws an error with the system's `code`.
 */
export type Libc = {
  /** A non-blocking socket's descriptor. */
  socket(family: number, type: number, protocol: number): number
  /** Of a stream it begins the connection, and does not wait for it. */
  connect(fd: number, address: Buffer): void
  setOption(fd: number, option: { level: number; name: number; value: Buffer }): void
  /** The option's bytes, zero beyond what the kernel knows. */
  getOption(fd: number, option: { level: number; name: number; length: number }): Buffer
  send(fd: number, packet: Buffer): void
  /** The next message that has arrived, of the socket or of its queue of errors; null when there is none. */
  receive(fd: number, queue: 'data' | 'errors'): Message | null
  close(fd: number): void
  /** The bytes of an address without zone, or null if the text is none. */
  addressBytes(family: number, text: string): Buffer | null
  /** The index of a network interface; 0 when there is none of that name. */
  interfaceIndex(name: string): number
  /** Epoch milliseconds, with the resolution of the kernel's own time stamps. */
  now(): number
}

const nonBlocking = 0x800
const closeOnExec = 0x80000
const doNotWait = 0x40
const errorQueue = 0x2000
const realTime = 0
/** EINPROGRESS, which libuv has no name for. */
const inProgress = 115

/** Where the parts of a `struct msghdr` lie in the block of memory that every `recvmsg` gets (64 bits, little-endian). */
const at = { header: 0, vector: 64, control: 128, data: 1152 }
const controlBytes = 1024
const dataBytes = 2048

type Koffi = typeof import('koffi').default

/** Loads the calls through koffi. Rejects with CannotRun where that is not possible. */
export const loadLibc = async (): Promise<Libc> => {
  if (platform() !== 'linux' || !['x64', 'arm64', 'riscv64', 'loong64'].includes(arch()))
    throw new CannotRun(`ICMP checks need an agent on 64-bit Linux, this one runs on ${platform()} ${arch()}`)
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new CannotRun(`ICMP checks need the package "koffi", which cannot be loaded here: ${why}`)
  })
  const calls = declareCalls(koffi)
  const block = allocateBlock(koffi)
  warmUp(calls, block)
  return {
    ...socketCalls(koffi, calls),
    receive: receiver(koffi, calls, block),
    ...addressCalls(calls),
    now: clockOf(calls),
  }
}

const declareCalls = (koffi: Koffi) => {
  const library = koffi.load(null)
  return {
    socket: library.func('int socket(int, int, int)'),
    connect: library.func('int connect(int, const void *, uint32_t)'),
    setsockopt: library.func('int setsockopt(int, int, int, const void *, uint32_t)'),
    getsockopt: library.func('int getsockopt(int, int, int, void *, void *)'),
    send: library.func('intptr_t send(int, const void *, size_t, int)'),
    recvmsg: library.func('intptr_t recvmsg(int, void *, int)'),
    close: library.func('int close(int)'),
    inetPton: library.func('int inet_pton(int, const char *, void *)'),
    ifNameToIndex: library.func('unsigned int if_nametoindex(const char *)'),
    clockGettime: library.func('int clock_gettime(int, void *)'),
  }
}

type Calls = ReturnType<typeof declareCalls>

/** The block of memory as the calls take it (`pointer`), and as we read it (`memory`). */
const allocateBlock = (koffi: Koffi) => {
  const size = at.data + dataBytes
  const pointer = koffi.alloc('uint8_t', size)
  const memory = Buffer.from(koffi.view(pointer, size))
  const address = BigInt(koffi.address(pointer))
  memory.writeBigUInt64LE(address + BigInt(at.data), at.vector)
  memory.writeBigUInt64LE(BigInt(dataBytes), at.vector + 8)
  memory.writeBigUInt64LE(address + BigInt(at.vector), at.header + 16)
  memory.writeBigUInt64LE(1n, at.header + 24)
  memory.writeBigUInt64LE(address + BigInt(at.control), at.header + 32)
  return { pointer, memory }
}

type Block = ReturnType<typeof allocateBlock>

/** The first use of a call costs up to a millisecond, which must not look like latency. */
const warmUp = ({ clockGettime, send, recvmsg }: Calls, { pointer }: Block): void => {
  const timespec = Buffer.alloc(16)
  clockGettime(realTime, timespec)
  send(-1, timespec, 0, doNotWait)
  recvmsg(-1, pointer, doNotWait)
}

/** The call's result. Throws what the system says if it has failed. */
const checked = (koffi: Koffi, call: string, result: number): number => {
  if (result >= 0) return result
  const code = getSystemErrorName(-koffi.errno())
  throw Object.assign(new Error(`${call}: ${code}`), { code, syscall: call })
}

const socketCalls = (
  koffi: Koffi,
  { socket, connect, setsockopt, getsockopt, send, close }: Calls,
): Pick<Libc, 'socket' | 'connect' | 'setOption' | 'getOption' | 'send' | 'close'> => {
  const lengthCell = Buffer.alloc(4)
  return {
    socket: (family, type, protocol) =>
      checked(koffi, 'socket', socket(family, type | nonBlocking | closeOnExec, protocol)),
    connect: (fd, to) => {
      const result = connect(fd, to, to.length)
      if (result >= 0 || koffi.errno() !== inProgress) checked(koffi, 'connect', result)
    },
    setOption: (fd, { level, name, value }) =>
      void checked(koffi, 'setsockopt', setsockopt(fd, level, name, value, value.length)),
    getOption: (fd, { level, name, length }) => {
      const value = Buffer.alloc(length)
      lengthCell.writeUInt32LE(length)
      checked(koffi, 'getsockopt', getsockopt(fd, level, name, value, lengthCell))
      return value
    },
    send: (fd, packet) => void checked(koffi, 'send', Number(send(fd, packet, packet.length, doNotWait))),
    close: (fd) => void close(fd),
  }
}

const receiver =
  (koffi: Koffi, { recvmsg }: Calls, { pointer, memory }: Block): Libc['receive'] =>
  (fd, queue) => {
    memory.writeBigUInt64LE(BigInt(controlBytes), at.header + 40)
    const flags = doNotWait | (queue === 'errors' ? errorQueue : 0)
    const received = Number(recvmsg(fd, pointer, flags))
    if (received < 0 && isNothing(getSystemErrorName(-koffi.errno()))) return null
    const length = checked(koffi, 'recvmsg', received)
    const controlLength = Number(memory.readBigUInt64LE(at.header + 40))
    return {
      bytes: Buffer.from(memory.subarray(at.data, at.data + length)),
      control: Buffer.from(memory.subarray(at.control, at.control + controlLength)),
    }
  }

const addressCalls = ({ inetPton, ifNameToIndex }: Calls): Pick<Libc, 'addressBytes' | 'interfaceIndex'> => ({
  addressBytes: (family, text) => {
    const bytes = Buffer.alloc(family === 2 ? 4 : 16)
    return inetPton(family, text, bytes) === 1 ? bytes : null
  },
  interfaceIndex: (name) => ifNameToIndex(name),
})

const clockOf = ({ clockGettime }: Calls): Libc['now'] => {
  const timespec = Buffer.alloc(16)
  return () => {
    clockGettime(realTime, timespec)
    return Number(timespec.readBigInt64LE(0)) * 1000 + Number(timespec.readBigInt64LE(8)) / 1e6
  }
}

const isNothing = (code: string): boolean => code === 'EAGAIN' || code === 'EINTR'
