/** Makes this process's kernel one that knows no time stamps of sockets, for good: a filter of system calls refuses the option. */
import { arch } from 'node:os'
import koffi from 'koffi'
import { systemCalls } from '../../agent/isolation/system-calls.ts'

const numbers = { x64: { setsockopt: 54, seccomp: 317 }, arm64: { setsockopt: 208, seccomp: 277 } }
const ENOPROTOOPT = 92

/** The process must have given up new privileges. `struct sock_filter`s: code, jumps if true and if false, value (seccomp(2)). */
export const refuseStamps = (): void => {
  const { setsockopt, seccomp } = numbers[arch() === 'arm64' ? 'arm64' : 'x64']
  const filter = [
    [0x20, 0, 0, 0],
    [0x15, 0, 5, setsockopt],
    [0x20, 0, 0, 24],
    [0x15, 0, 3, 1],
    [0x20, 0, 0, 32],
    [0x15, 0, 1, 35],
    [0x06, 0, 0, 0x00050000 | ENOPROTOOPT],
    [0x06, 0, 0, 0x7fff0000],
  ]
  const bytes = Buffer.alloc(8 * filter.length)
  for (const [index, [code = 0, jumpTrue = 0, jumpFalse = 0, value = 0]] of filter.entries()) {
    bytes.writeUInt16LE(code, 8 * index)
    bytes.writeUInt8(jumpTrue, 8 * index + 2)
    bytes.writeUInt8(jumpFalse, 8 * index + 3)
    bytes.writeUInt32LE(value, 8 * index + 4)
  }
  const system = systemCalls(koffi)
  const program = Buffer.alloc(16)
  program.writeUInt16LE(filter.length)
  program.writeBigUInt64LE(system.addressOf(bytes), 8)
  system.call('seccomp', seccomp, 1, 0, program)
}
