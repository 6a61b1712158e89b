/** Turns the table of rules into a program for the kernel (seccomp(2), classic BPF): `struct sock_filter`s in a row. */
import type { Condition, Rule, Verdict } from './seccomp-rules.ts'
import { type Architecture, numberOf } from './syscalls.ts'

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const and = (mask: number): Instruction => [0x54, 0, 0, mask]
const ifEqual = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [
  0x15,
  jumpTrue,
  jumpFalse,
  value,
]
const ifAtLeast = (value: number, jumpTrue: number, jumpFalse: number): Instruction => [
  0x35,
  jumpTrue,
  jumpFalse,
  value,
]
const result = (value: number): Instruction => [0x06, 0, 0, value]

const allow = 0x7fff0000
const killProcess = 0x80000000
const failWith = (errno: number): number => 0x00050000 | errno
const ENOSYS = 38

/** Where things lie in `struct seccomp_data`. Arguments have 64 bits, the lower half first. */
const at = {
  number: 0,
  architecture: 4,
  lower: (arg: number) => 16 + 8 * arg,
  upper: (arg: number) => 20 + 8 * arg,
}

const auditArchitecture: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** System calls of x32, by which all rules could be passed by. */
const firstOfX32 = 0x40000000

export const seccompFilter = (rules: readonly Rule[], architecture: Architecture): Buffer =>
  encode([
    load(at.architecture),
    ifEqual(auditArchitecture[architecture], 1, 0),
    result(killProcess),
    load(at.number),
    ...(architecture === 'x64' ? [ifAtLeast(firstOfX32, 0, 1), result(failWith(ENOSYS))] : []),
    ...rules.flatMap((rule) => {
      const body = [...rule.cases.flatMap(({ when, verdict }) => caseOf(when, verdict)), ret(rule.otherwise)]
      return rule.calls.flatMap((call) => {
        const number = numberOf(call, architecture)
        return number === null ? [] : [ifEqual(number, 0, body.length), ...body]
      })
    }),
    result(allow),
  ])

const ret = (verdict: Verdict): Instruction => result(verdict === 'allow' ? allow : failWith(verdict))

/** Ends the program if all conditions hold, and is passed by if one does not. */
const caseOf = ([condition, ...others]: readonly Condition[], verdict: Verdict): Instruction[] => {
  if (condition === undefined) return [ret(verdict)]
  const rest = caseOf(others, verdict)
  return [...test(condition, rest.length), ...rest]
}

/** Goes on behind itself if the condition holds, and `skip` instructions further if not. */
const test = (condition: Condition, skip: number): Instruction[] => {
  if ('pointer' in condition)
    return [
      load(at.lower(condition.arg)),
      ifEqual(0, 0, 2),
      load(at.upper(condition.arg)),
      ifEqual(0, skip, 0),
    ]
  const { arg, mask } = condition
  const value = [load(at.lower(arg)), ...(mask === undefined ? [] : [and(mask)])]
  if ('in' in condition) {
    const last = condition.in.length - 1
    return [
      ...value,
      ...condition.in.map((one, index) => ifEqual(one, last - index, index === last ? skip : 0)),
    ]
  }
  const last = condition.notIn.length - 1
  return [...value, ...condition.notIn.map((one, index) => ifEqual(one, skip + last - index, 0))]
}

const encode = (program: readonly Instruction[]): Buffer => {
  const bytes = Buffer.alloc(8 * program.length)
  for (const [index, [code, jumpTrue, jumpFalse, k]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index)
    bytes.writeUInt8(jumpTrue, 8 * index + 2)
    bytes.writeUInt8(jumpFalse, 8 * index + 3)
    bytes.writeUInt32LE(k >>> 0, 8 * index + 4)
  }
  return bytes
}
