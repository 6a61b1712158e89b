import { arch, platform } from 'node:os'
import { getSystemErrorName } from 'node:util'
import { CannotRun } from '../../cannot-run.ts'

/** One message of a socket: its bytes and the control messages that the kernel added. */
export type Message = { bytes: Buffer; control: Buffer }

/**
 * The few calls of the C library that Node has no door for: sockets of other kinds than UDP and TCP. No call blocks.
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

/** Loads the calls through koffi. Rejects with CannotRun where that is not possible. */
export const loadLibc = async (): Promise<Libc> => {
  if (platform() !== 'linux' || !['x64', 'arm64', 'riscv64', 'loong64'].includes(arch()))
    throw new CannotRun(`ICMP checks need an agent on 64-bit Linux, this one runs on ${platform()} ${arch()}`)
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new CannotRun(`ICMP checks need the package "koffi", which cannot be loaded here: ${why}`)
  })
  const library = koffi.load(null)
  const socket = library.func('int socket(int, int, int)')
  const connect = library.func('int connect(int, const void *, uint32_t)')
  const setsockopt = library.func('int setsockopt(int, int, int, const void *, uint32_t)')
  const getsockopt = library.func('int getsockopt(int, int, int, void *, void *)')
  const send = library.func('intptr_t send(int, const void *, size_t, int)')
  const recvmsg = library.func('intptr_t recvmsg(int, void *, int)')
  const close = library.func('int close(int)')
  const inetPton = library.func('int inet_pton(int, const char *, void *)')
  const ifNameToIndex = library.func('unsigned int if_nametoindex(const char *)')
  const clockGettime = library.func('int clock_gettime(int, void *)')

  const checked = (call: string, result: number): number => {
    if (result >= 0) return result
    const code = getSystemErrorName(-koffi.errno())
    throw Object.assign(new Error(`${call}: ${code}`), { code, syscall: call })
  }

  const size = at.data + dataBytes
  const block = koffi.alloc('uint8_t', size)
  const memory = Buffer.from(koffi.view(block, size))
  const address = BigInt(koffi.address(block))
  memory.writeBigUInt64LE(address + BigInt(at.data), at.vector)
  memory.writeBigUInt64LE(BigInt(dataBytes), at.vector + 8)
  memory.writeBigUInt64LE(address + BigInt(at.vector), at.header + 16)
  memory.writeBigUInt64LE(1n, at.header + 24)
  memory.writeBigUInt64LE(address + BigInt(at.control), at.header + 32)
  const timespec = Buffer.alloc(16)
  const lengthCell = Buffer.alloc(4)

  // The first use of a call costs up to a millisecond, which must not look like latency.
  clockGettime(realTime, timespec)
  send(-1, timespec, 0, doNotWait)
  recvmsg(-1, block, doNotWait)

  return {
    socket: (family, type, protocol) =>
      checked('socket', socket(family, type | nonBlocking | closeOnExec, protocol)),
    connect: (fd, to) => {
      const result = connect(fd, to, to.length)
      if (result >= 0 || koffi.errno() !== inProgress) checked('connect', result)
    },
    setOption: (fd, { level, name, value }) =>
      void checked('setsockopt', setsockopt(fd, level, name, value, value.length)),
    getOption: (fd, { level, name, length }) => {
      const value = Buffer.alloc(length)
      lengthCell.writeUInt32LE(length)
      checked('getsockopt', getsockopt(fd, level, name, value, lengthCell))
      return value
    },
    send: (fd, packet) => void checked('send', Number(send(fd, packet, packet.length, doNotWait))),
    receive: (fd, queue) => {
      memory.writeBigUInt64LE(BigInt(controlBytes), at.header + 40)
      const flags = doNotWait | (queue === 'errors' ? errorQueue : 0)
      const received = Number(recvmsg(fd, block, flags))
      if (received < 0 && isNothing(getSystemErrorName(-koffi.errno()))) return null
      const length = checked('recvmsg', received)
      const controlLength = Number(memory.readBigUInt64LE(at.header + 40))
      return {
        bytes: Buffer.from(memory.subarray(at.data, at.data + length)),
        control: Buffer.from(memory.subarray(at.control, at.control + controlLength)),
      }
    },
    close: (fd) => void close(fd),
    addressBytes: (family, text) => {
      const bytes = Buffer.alloc(family === 2 ? 4 : 16)
      return inetPton(family, text, bytes) === 1 ? bytes : null
    },
    interfaceIndex: (name) => ifNameToIndex(name),
    now: () => {
      clockGettime(realTime, timespec)
      return Number(timespec.readBigInt64LE(0)) * 1000 + Number(timespec.readBigInt64LE(8)) / 1e6
    },
  }
}

const isNothing = (code: string): boolean => code === 'EAGAIN' || code === 'EINTR'
