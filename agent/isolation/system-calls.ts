/** System calls that Node does not offer; koffi is handed in, because the launcher finds it by another way. */
import { getSystemErrorName } from 'node:util'

type Koffi = Pick<typeof import('koffi').default, 'load' | 'errno' | 'address'>

/** A number, or memory; what is left out is 0. */
type Argument = number | bigint | Buffer | null

export type SystemCalls = {
  /** The result, or a thrown error with the system's `code`. */
  call(name: string, number: number, ...args: Argument[]): number
  /** As call, beside everything else that this process does. */
  callLater(name: string, number: number, ...args: Argument[]): Promise<number>
  /** As call, with the negative number of the error for a failure. */
  attempt(number: number, ...args: Argument[]): number
  /** Where the bytes lie; they must be kept for as long as the kernel may read them. */
  addressOf(bytes: Buffer): bigint
  /** Becomes another program with this environment; comes back only to throw. */
  become(path: string, args: readonly string[]): never
}

export const systemCalls = (koffi: Koffi): SystemCalls => {
  const library = koffi.load(null)
  const pointers = Array.from({ length: 6 }, () => 'void *')
  const syscall = library.func('syscall', 'int64_t', ['int64_t', ...pointers])
  const execv = library.func('int execv(const char *, const char **)')
  const failure = (name: string, errno: number): Error => {
    const code = getSystemErrorName(-errno)
    return Object.assign(new Error(`${name}: ${code}`), { code, syscall: name })
  }
  const six = (args: readonly Argument[]): Argument[] =>
    Array.from({ length: 6 }, (_, index) => {
      const arg = args[index] ?? null
      return typeof arg === 'number' ? BigInt.asUintN(64, BigInt(arg)) : arg
    })
  const attempt = (number: number, ...args: Argument[]): number => {
    const result = Number(syscall(number, ...six(args)))
    return result === -1 ? -koffi.errno() : result
  }
  return {
    attempt,
    call: (name, number, ...args) => {
      const result = attempt(number, ...args)
      if (result < 0) throw failure(name, -result)
      return result
    },
    callLater: (name, number, ...args) =>
      new Promise((resolve, reject) =>
        syscall.async(number, ...six(args), (error: Error | null, result: number | bigint) => {
          // Of this call: koffi keeps one for each.
          if (error === null && Number(result) === -1) reject(failure(name, koffi.errno()))
          else if (error === null) resolve(Number(result))
          else reject(error)
        }),
      ),
    addressOf: (bytes) => BigInt(koffi.address(bytes)),
    become: (path, args) => {
      execv(path, [path, ...args, null])
      throw failure(`execv ${path}`, koffi.errno())
    },
  }
}
