import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { isRoot } from '../base/is-root.ts'
import type { Owner } from './launch-plan.ts'

/** Below those that systems give to people and services by themselves, and mapped in common containers. */
const firstUid = 58_000
/** More than an agent has children in isolation at a time. */
const uidsOfAnAgent = 250
const ranges = 30

/** Users for children: no two that live at the same time have the same one. */
export type Owners = { take(): Owner; giveBack(owner: Owner): void }

export const createOwners = (from: number): Owners => {
  const taken = new Set<number>()
  return {
    take: () => {
      let uid = from
      while (taken.has(uid)) uid += 1
      taken.add(uid)
      return { uid, gid: uid }
    },
    giveBack: ({ uid }) => void taken.delete(uid),
  }
}

/**
 * The first of a range of user ids that no other agent of this machine has: they would read each other's folders, and the
 * kernel counts processes by user. An abstract socket holds it, which the kernel frees however this process ends. Agents in
 * namespaces of networks of their own do not see it, so the first range asked for is any. Rejects where none is free. An agent
 * that is not root can change no process's user, and holds none.
 */
export const claimUids = async (first = randomInt(ranges)): Promise<number> => {
  if (!isRoot()) return firstUid
  for (let tried = 0; tried < ranges; tried += 1) {
    const range = (first + tried) % ranges
    if (await hold(`\0watchpost-uids-${range}`)) return firstUid + range * uidsOfAnAgent
  }
  throw new Error(`all ${ranges} ranges of user ids are held by agents of this machine: run fewer of them`)
}

/** Whether the name was free. It is held as long as this process lives, and does not keep it alive. */
const hold = async (name: string): Promise<boolean> => {
  const server: Server = createServer((connection) => connection.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(name, () => {
      server.unref()
      resolve(true)
    })
  })
}
