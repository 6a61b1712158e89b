import type { Owner } from './launch-plan.ts'

/** Below those that systems give to people and services by themselves, and mapped in common containers. */
const firstUid = 58_000

/** Users for children: no two that live at the same time have the same one. */
export type Owners = { take(): Owner; giveBack(owner: Owner): void }

export const createOwners = (): Owners => {
  const taken = new Set<number>()
  return {
    take: () => {
      let uid = firstUid
      while (taken.has(uid)) uid += 1
      taken.add(uid)
      return { uid, gid: uid }
    },
    giveBack: ({ uid }) => void taken.delete(uid),
  }
}
