/**
 * The program of a hostile child: runs each attempt that it is told on its input, and says on descriptor 3 how it ended. It has
 * all of Node and, through koffi, any system call: nothing is between it and the kernel.
 */
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getSystemErrorName } from 'node:util'

export type AttemptTask = {
  koffi: string
  /** Numbers of system calls by name. */
  numbers: Record<string, number>
  /** What attempts may speak of: paths, ports, process ids. */
  facts: Record<string, unknown>
  attempts: { name: string; code: string }[]
}

type Memory = Buffer | bigint | number | null

const { process } = globalThis
const require = createRequire(import.meta.url)
const task: AttemptTask = JSON.parse(readFileSync(0, 'utf8'))
const koffi = require(task.koffi)
const syscall = koffi.load(null).func('syscall', 'int64_t', ['int64_t', ...Array(6).fill('void *')])

/** A system call by name or number; throws with the error's name. */
const sys = (call: string | number, ...args: Memory[]): number => {
  const number = typeof call === 'number' ? call : task.numbers[call]
  if (number === undefined) throw new Error(`no number for ${call}`)
  const six = Array.from({ length: 6 }, (_, index) => {
    const arg = args[index] ?? null
    return typeof arg === 'number' ? BigInt.asUintN(64, BigInt(arg)) : arg
  })
  const result = Number(syscall(number, ...six))
  if (result !== -1) return result
  const code = getSystemErrorName(-koffi.errno())
  throw Object.assign(new Error(`${call}: ${code}`), { code })
}

/** The address of memory that holds these bytes; kept for good. */
const kept: Buffer[] = []
const at = (bytes: Buffer): bigint => {
  kept.push(bytes)
  return BigInt(koffi.address(bytes))
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)

/** `struct sockaddr_in` of the loopback. */
const inet = (port: number): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt16LE(2, 0)
  bytes.writeUInt16BE(port, 2)
  bytes.writeUInt32BE(0x7f000001, 4)
  return bytes
}

/** `struct sockaddr_un`. */
const local = (path: string): Buffer => {
  const bytes = Buffer.alloc(110)
  bytes.writeUInt16LE(1, 0)
  bytes.write(path, 2)
  return bytes
}

const { AsyncFunction } = { AsyncFunction: (async () => undefined).constructor as FunctionConstructor }
const names = ['sys', 'at', 'text', 'inet', 'local', 'require', 'process', 'facts', 'load']
const values = [sys, at, text, inet, local, require, process, task.facts, (name: string) => import(name)]

const outcome = async (code: string): Promise<string> => {
  try {
    const value = await new AsyncFunction(...names, code)(...values)
    return `worked: ${value}`
  } catch (error) {
    const {
      code: reason,
      cause,
      message,
    } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
    return `${cause?.code ?? reason ?? ''} ${message ?? error}`.trim()
  }
}

process.on('uncaughtException', () => undefined)
for (const { name, code } of task.attempts) {
  const said = await outcome(code)
  writeSync(3, `${JSON.stringify({ name, said: said.slice(0, 300) })}\n`)
}
process.exit(0)
