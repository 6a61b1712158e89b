/** The filter as the kernel would run it, against the table that it was made from. */

import t from 'tap'
import { seccompFilter } from '../../../agent/isolation/seccomp.ts'
import { type Condition, type Rule, rulesOf } from '../../../agent/isolation/seccomp-rules.ts'
import {
  type Architecture,
  numberOf,
  type Syscall,
  syscallNumbers,
} from '../../../agent/isolation/syscalls.ts'
import { fc } from '../../support/fast-check.ts'

type Call = { number: number; args?: readonly bigint[]; audit?: number }

const allowed = 'allow'
const audit: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** Runs a classic BPF program over `struct seccomp_data`: the few instructions that ours may consist of. */
const run = (program: Buffer, { number, args = [], audit = 0xc000003e }: Call): string => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit, 4)
  for (const [index, arg] of args.entries()) data.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + 8 * index)
  let value = 0
  for (let pc = 0; ; pc += 1) {
    if (pc >= program.length / 8) throw new Error('the program runs out of its end')
    const code = program.readUInt16LE(8 * pc)
    const [jumpTrue, jumpFalse] = [program.readUInt8(8 * pc + 2), program.readUInt8(8 * pc + 3)]
    const k = program.readUInt32LE(8 * pc + 4)
    if (code === 0x20) value = data.readUInt32LE(k)
    else if (code === 0x54) value = (value & k) >>> 0
    else if (code === 0x15) pc += value === k ? jumpTrue : jumpFalse
    else if (code === 0x35) pc += value >= k ? jumpTrue : jumpFalse
    else if (code === 0x06) return verdictOf(k)
    else throw new Error(`an instruction that the filter should not have: ${code.toString(16)}`)
  }
}

const verdictOf = (k: number): string => {
  if (k === 0x7fff0000) return allowed
  if (k === 0x80000000) return 'kill'
  if (k >>> 16 === 5) return `errno ${k & 0xffff}`
  throw new Error(`no verdict: ${k.toString(16)}`)
}

const low = (arg: bigint): number => Number(BigInt.asUintN(32, arg))

const holds = (condition: Condition, args: readonly bigint[]): boolean => {
  const arg = args[condition.arg] ?? 0n
  if ('pointer' in condition) return arg !== 0n
  const value = (low(arg) & (condition.mask ?? 0xffffffff)) >>> 0
  return 'in' in condition ? condition.in.includes(value) : !condition.notIn.includes(value)
}

const expected = ({ cases, otherwise }: Rule, args: readonly bigint[]): string => {
  const verdict = cases.find(({ when }) => when.every((one) => holds(one, args)))?.verdict ?? otherwise
  return verdict === 'allow' ? allowed : `errno ${verdict}`
}

/** Values that conditions look at, and their neighbours, and anything. */
const argument = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    2n,
    3n,
    5n,
    6n,
    10n,
    16n,
    17n,
    36n,
    262n,
    0x20000000n,
    0x10000000n,
    0x5412n,
    2n ** 32n,
    -1n,
  ),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
)
const argumentsOf = fc.array(argument, { minLength: 6, maxLength: 6 })

const profiles = [{ chromiumSandbox: false }, { chromiumSandbox: true }]

for (const architecture of ['x64', 'arm64'] as const)
  for (const profile of profiles)
    t.test(
      `${architecture}, ${JSON.stringify(profile)}: what the table says is what the kernel will do`,
      async (t) => {
        const rules = rulesOf(profile)
        const program = seccompFilter(rules, architecture)
        const rows = rules.flatMap((rule) =>
          rule.calls.flatMap((call) => {
            const number = numberOf(call, architecture)
            return number === null ? [] : [{ rule, number }]
          }),
        )
        t.equal(new Set(rows.map(({ number }) => number)).size, rows.length, 'no call has two rules')
        const ruled = new Set(rows.map(({ number }) => number))
        fc.assert(
          fc.property(fc.constantFrom(...rows), argumentsOf, ({ rule, number }, args) => {
            const got = run(program, { number, args, audit: audit[architecture] })
            return got === expected(rule, args)
          }),
          { numRuns: 5000 },
        )
        fc.assert(
          fc.property(fc.integer({ min: 0, max: 600 }), argumentsOf, (number, args) => {
            fc.pre(!ruled.has(number))
            return run(program, { number, args, audit: audit[architecture] }) === allowed
          }),
        )
        t.ok(program.length / 8 < 4096, 'the kernel takes no more instructions (BPF_MAXINSNS)')
      },
    )

const EPERM = 'errno 1'
const EAFNOSUPPORT = 'errno 97'

/** By hand: what the table is for. The first column is a name, the second the arguments. */
const wanted: [Syscall, number[], string][] = [
  ['socket', [2, 1, 0], allowed],
  ['socket', [10, 1 | 0x80800, 6], allowed],
  ['socket', [2, 1, 262], EPERM],
  ['socket', [2, 2, 0], EPERM],
  ['socket', [2, 3, 1], EPERM],
  ['socket', [1, 1, 0], EPERM],
  ['socket', [16, 3, 0], EAFNOSUPPORT],
  ['socket', [17, 3, 0], EAFNOSUPPORT],
  ['socket', [38, 5, 0], EAFNOSUPPORT],
  ['socket', [40, 1, 0], EAFNOSUPPORT],
  ['socketpair', [1, 1 | 0x80000, 0], allowed],
  ['socketpair', [1, 2, 0], EPERM],
  ['socketpair', [2, 1, 0], EPERM],
  ['sendto', [3, 0, 0, 0x20000000], EPERM],
  ['sendto', [3, 0, 0, 0x4000], allowed],
  ['sendmsg', [3, 0, 0x20004000], EPERM],
  ['sendmmsg', [3, 0, 1, 0x20000000], EPERM],
  ['listen', [3, 1], EPERM],
  ['clone', [0x11], allowed],
  ['clone', [0x3d0f00], allowed],
  ['clone', [0x10000011], EPERM],
  ['clone3', [0, 88], 'errno 38'],
  ['unshare', [0x10000000], EPERM],
  ['prlimit64', [0, 7], allowed],
  ['prlimit64', [1234, 7], EPERM],
  ['setpriority', [0, 0, 10], allowed],
  ['setpriority', [2, 0, 10], EPERM],
  ['setpriority', [0, 1, 10], EPERM],
  ['ioprio_set', [1, 0], allowed],
  ['ioprio_set', [3, 0], EPERM],
  ['utimensat', [3, 0, 0, 0], allowed],
  ['utimensat', [-100, 0x7fff0000, 0, 0], EPERM],
  ['prctl', [15], allowed],
  ['prctl', [1, 0], EPERM],
  ['prctl', [36, 1], EPERM],
  ['setsid', [], EPERM],
  ['setpgid', [0, 0], EPERM],
  ['io_uring_setup', [8], EPERM],
  ['ptrace', [16, 1], EPERM],
  ['shmget', [1, 4096], EPERM],
  ['ioctl', [0, 0x5412], EPERM],
  ['ioctl', [0, 0x5401], allowed],
]

t.test('the calls that the table is for', async (t) => {
  for (const architecture of ['x64', 'arm64'] as const) {
    const program = seccompFilter(rulesOf({ chromiumSandbox: false }), architecture)
    for (const [name, args, verdict] of wanted) {
      const number = numberOf(name, architecture)!
      const call = { number, args: args.map(BigInt), audit: audit[architecture] }
      t.equal(run(program, call), verdict, `${architecture} ${name}(${args.join(', ')})`)
    }
  }
})

t.test('the upper half of a number argument counts for nothing, that of a pointer does', async (t) => {
  const program = seccompFilter(rulesOf({ chromiumSandbox: false }), 'x64')
  const above = 0xffffffffn << 32n
  const call = (name: Syscall, args: bigint[]): string =>
    run(program, { number: numberOf(name, 'x64')!, args })
  t.equal(call('socket', [above | 2n, above | 1n, above | 262n]), EPERM)
  t.equal(call('prlimit64', [above, 7n]), allowed)
  t.equal(call('utimensat', [3n, 1n << 32n]), EPERM)
})

t.test('another architecture is killed, and x32 does not exist', async (t) => {
  const rules = rulesOf({ chromiumSandbox: false })
  for (const foreign of [0x40000003, audit.arm64, 0])
    t.equal(run(seccompFilter(rules, 'x64'), { number: 1, audit: foreign }), 'kill')
  t.equal(run(seccompFilter(rules, 'arm64'), { number: 1, audit: audit.x64 }), 'kill')
  t.equal(run(seccompFilter(rules, 'x64'), { number: 0x40000000 | 41, args: [2n, 2n, 0n] }), 'errno 38')
})

t.test('Chromium may build its own sandbox, and nothing else more', async (t) => {
  const program = seccompFilter(rulesOf({ chromiumSandbox: true }), 'x64')
  const of = (name: Syscall, ...args: bigint[]): string =>
    run(program, { number: numberOf(name, 'x64')!, args })
  t.equal(of('unshare', 0x10000000n), allowed)
  t.equal(of('clone', 0x10000011n), allowed)
  t.equal(of('chroot', 1n), allowed)
  t.equal(of('setns', 3n), EPERM)
  t.equal(of('socket', 1n, 1n, 0n), EPERM)
  t.equal(of('setsid'), EPERM)
})

t.test('numbers are those of the kernel’s tables', async (t) => {
  const names = Object.keys(syscallNumbers) as Syscall[]
  for (const architecture of ['x64', 'arm64'] as const) {
    const numbers = names.flatMap((name) => numberOf(name, architecture) ?? [])
    t.equal(new Set(numbers).size, numbers.length, `${architecture}: no number twice`)
  }
  t.equal(
    names
      .filter((name) => numberOf(name, 'x64')! >= 424)
      .every((name) => numberOf(name, 'arm64') === numberOf(name, 'x64')),
    true,
  )
})
