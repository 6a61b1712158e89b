import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** The same of a file that is open, which its user may have: Landlock has judged it then. */
const ofOpenFile: Record<string, (file: number, ...args: unknown[]) => void> = {
  chmod: (file, mode) => fs.fchmodSync(file, mode as number),
  utimes: (file, atime, mtime) => fs.futimesSync(file, atime as number, mtime as number),
}

const names = ['chmod', 'lchmod', 'chown', 'lchown', 'utimes', 'lutimes'] as const

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && ['EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')

type Called = (...args: unknown[]) => unknown

/** The functions of a module, whatever each of them takes. */
const byName = (functions: object) => functions as Record<string, Called>

/**
 * Programs in isolation cannot change modes, owners and times by path (`agent/isolation/seccomp-rules.ts`), and those who install
 * packages cannot go on without. So they are changed where the file can be opened, and what is refused still counts as done:
 * for honest programs, the isolation stays.
 */
export const forgiveModes = (): void => {
  const [sync, promised] = [byName(fs), byName(fs.promises)]
  for (const name of names) {
    const [plain, now, later] = [sync[name], sync[`${name}Sync`], promised[name]]
    if (plain === undefined || now === undefined || later === undefined) continue
    sync[name] = (...args) => {
      const done = args.at(-1)
      if (typeof done !== 'function') return plain(...args)
      const given = args.slice(0, -1)
      return plain(...given, (error: unknown) => done(forgiven(name, given, error)))
    }
    sync[`${name}Sync`] = (...args) => {
      try {
        now(...args)
      } catch (error) {
        rethrow(forgiven(name, args, error))
      }
    }
    promised[name] = async (...args) => {
      try {
        await later(...args)
      } catch (error) {
        rethrow(forgiven(name, args, error))
      }
    }
  }
  syncBuiltinESMExports()
}

/** Null, or the error if it is another one. */
const forgiven = (name: string, [path, ...args]: unknown[], error: unknown): unknown => {
  const act = ofOpenFile[name]
  if (!isRefusal(error)) return error
  if (act === undefined) return null
  try {
    const file = fs.openSync(path as string, 'r')
    try {
      act(file, ...args)
    } finally {
      fs.closeSync(file)
    }
    return null
  } catch (problem) {
    return isRefusal(problem) ? null : problem
  }
}

const rethrow = (error: unknown): void => {
  if (error !== null) throw error
}
