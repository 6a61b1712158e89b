/**
 * Who this agent is, kept beside its spool: an agent that starts again under its old id gets back at once what its earlier
 * life had claimed, instead of after a lease. Two agents that share a folder never share an id while both are alive.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '../net/io.ts'
import { diskError, isGone } from '../reporting/spool-folder.ts'

/** The process that uses an id; `isAlive` of a process of this host. */
export type OwnProcess = { host: string; pid: number; isAlive(pid: number): boolean }

type Identity = { agentId: string; host: string; pid: number }

const fileName = 'agent.json'

/** The id for this process, written down for the next one; where that cannot be, the next one takes another. */
export const takeIdentity = (dir: string, self: OwnProcess, io: Pick<Io, 'newId' | 'log'>): string => {
  const path = join(dir, fileName)
  const earlier = readIdentity(path, io)
  if (earlier !== null && isTaken(earlier, self)) return io.newId()
  const agentId = earlier?.agentId ?? io.newId()
  const identity: Identity = { agentId, host: self.host, pid: self.pid }
  try {
    writeFileSync(path, `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  } catch (error) {
    io.log.warn(diskError(`${path} cannot be written: this agent's id lasts as long as its process`, error))
  }
  return agentId
}

/** Another host's process cannot be asked whether it lives. A container that starts again has the pid it had before. */
const isTaken = ({ host, pid }: Identity, self: OwnProcess): boolean =>
  host !== self.host || (pid !== self.pid && self.isAlive(pid))

const readIdentity = (path: string, { log }: Pick<Io, 'log'>): Identity | null => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!isGone(error)) log.warn(diskError(`${path} cannot be read: this agent takes a new id`, error))
    return null
  }
  try {
    const { agentId, host, pid } = JSON.parse(text) as Partial<Identity>
    if (/^[A-Za-z0-9._-]{1,64}$/.test(agentId ?? '') && typeof host === 'string' && Number.isInteger(pid))
      return { agentId: agentId as string, host, pid: pid as number }
  } catch {
    // Half written when the agent died: the warning below covers it.
  }
  log.warn(`${path} is damaged: this agent takes a new id`)
  return null
}
