/** The program that builds and runs images: podman or docker, whichever this machine has. */
import { spawn, spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ownStorage } from './own-storage.ts'

export type Engine = {
  name: 'podman' | 'docker'
  /** Its standard output, trimmed. Rejects with what it said when it fails. */
  ask(args: readonly string[]): Promise<string>
  /** The same with everything that it says shown. */
  show(args: readonly string[]): Promise<void>
}

/** A stop that the user can act on. */
export class EngineError extends Error {}

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

export const installedEngine = (): 'podman' | 'docker' | null => {
  if (has('podman')) return 'podman'
  return has('docker') ? 'docker' : null
}

const readAll = (stream: Readable | null): Promise<string> | string => (stream === null ? '' : text(stream))

/** `storage`: a folder of podman's own for all that it keeps, so that nothing else of the machine is touched; null: the usual one. */
export const findEngine = (storage: string | null): Engine => {
  const name = installedEngine()
  if (name === null) throw new EngineError('neither podman nor docker is installed here')
  if (name === 'docker' && storage !== null) throw new EngineError('a storage folder of its own needs podman')
  const env = { ...process.env, ...(storage === null ? {} : ownStorage(storage, { runc: has('runc') })) }
  const run = async (args: readonly string[], shown: boolean): Promise<string> => {
    const child = spawn(name, args, { env, stdio: shown ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const said = await Promise.all([child.stdout, child.stderr].map(readAll))
    const code = await ended
    if (code !== 0) throw new EngineError(`${name} ${args[0]} failed (exit code ${code}): ${said[1]?.trim()}`)
    return said[0]?.trim() ?? ''
  }
  return { name, ask: (args) => run(args, false), show: async (args) => void (await run(args, true)) }
}
