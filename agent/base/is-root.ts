import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

const status = '/proc/self/status'

/** Whether this process is root, by the kernel's word: `userInfo` throws for a user who is in no list, as in many containers. */
export const isRoot = (): boolean =>
  existsSync(status) ? /^Uid:\s+\d+\s+0\s/m.test(readFileSync(status, 'utf8')) : userInfo().uid === 0
