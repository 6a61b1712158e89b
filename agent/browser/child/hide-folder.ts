import { ChildProcess } from 'node:child_process'
import { basename, join } from 'node:path'

type SpawnOptions = { file: string; args?: string[]; cwd?: string | undefined }
type Spawning = { spawn(this: ChildProcess, options: SpawnOptions): unknown }

/**
 * Browsers and what records pages are started in the run's own folder, with paths from there: everybody on the machine can read a command
 * line, and it would name the folder. For honest programs, whose folder it is.
 */
export const hideFolder = (folder: string, chromium: string | null): void => {
  const own = join(folder, 'tmp')
  // Node has the method, and its types do not.
  const prototype = ChildProcess.prototype as unknown as Spawning
  const { spawn } = prototype
  prototype.spawn = function (options) {
    const { file, args = [], cwd = own } = options
    const isOurs = file === chromium || basename(file).startsWith('ffmpeg')
    const named = args.map((arg) => arg.replaceAll(`${own}/`, ''))
    return Reflect.apply(spawn, this, [isOurs && cwd === own ? { ...options, cwd, args: named } : options])
  }
}
