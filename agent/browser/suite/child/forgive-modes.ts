import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Programs behind the walls cannot change modes, owners and times by path (`agent/walls/seccomp-rules.ts`). */
const names = ['chmod', 'lchmod', 'chown', 'lchown', 'utimes', 'lutimes'] as const

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPERM'

type Called = (...args: unknown[]) => unknown

/**
 * Those who install packages set them, and cannot go on without; what they unpack has its modes already. So a refusal counts as
 * done, for honest programs: the walls stay.
 */
export const forgiveModes = (): void => {
  const sync = fs as unknown as Record<string, Called>
  const promised = fs.promises as unknown as Record<string, Called>
  for (const name of names) {
    const [plain, now, later] = [sync[name], sync[`${name}Sync`], promised[name]]
    if (plain === undefined || now === undefined || later === undefined) continue
    sync[name] = (...args) => {
      const done = args.at(-1)
      if (typeof done !== 'function') return plain(...args)
      return plain(...args.slice(0, -1), (error: unknown) => done(isRefusal(error) ? null : error))
    }
    sync[`${name}Sync`] = (...args) => {
      try {
        now(...args)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    promised[name] = async (...args) => {
      try {
        await later(...args)
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
  }
  syncBuiltinESMExports()
}
