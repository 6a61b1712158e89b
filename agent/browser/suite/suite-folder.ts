import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OpenedParts, openOwnParts } from '../../sandbox/own-parts.ts'
import { withAuthorities } from '../authorities.ts'
import { suiteFiles } from '../run-files.ts'
import type { SuitesOptions } from './suites-options.ts'
import type { Tools } from './tools.ts'

/** All files of a run together: its packages, what fetches them keeps, and what the tests leave. */
export const filesOfSuites = { on: 'disk', mb: 4096, files: 500_000 } as const

/** What the stages of one run share. */
export type SuiteFolder = OpenedParts & {
  /** The first of all folders where programs are looked for. */
  programs: string
}

/** Takes what is installed here before it asks anybody: it is `npx` in a tenth of the time, and without a network. */
const npx = (real: string | undefined): string => `#!/bin/sh
folder=$PWD
while :; do
  if [ -x "$folder/node_modules/.bin/$1" ]; then
    program=$folder/node_modules/.bin/$1
    shift
    exec "$program" "$@"
  fi
  [ -z "$folder" ] && break
  folder=\${folder%/*}
done
${real === undefined ? 'echo "npx: $1 is not installed, and there is no npm on this agent" >&2; exit 127' : `exec "${real}" "$@"`}
`

const missing = (name: string): string => `#!/bin/sh
echo "There is no ${name} on this agent" >&2
exit 127
`

export const openSuiteFolder = async (
  options: SuitesOptions,
  { modules, tools }: { modules: string | null; tools: Tools },
): Promise<SuiteFolder> => {
  const { host, extraCaCerts } = options
  const program = withAuthorities(options.suiteProgram, extraCaCerts)
  const own = await openOwnParts({ program, modules, files: filesOfSuites }, options)
  const programs = join(own.folder.path, 'bin')
  try {
    await writePrograms(programs, host.execPath, tools)
    await options.browsers.layAuthorities(own.folder.inside, own.owner)
    return { ...own, programs }
  } catch (error) {
    await own.remove()
    throw error
  }
}

/** The folder of a run is not shown: it says nothing, and differs each time. */
export const pathless = (text: string, { folder }: Pick<SuiteFolder, 'folder'>): string =>
  text.replaceAll(`${join(folder.writable, suiteFiles.project)}/`, '').replaceAll(folder.path, '')

const writePrograms = async (folder: string, execPath: string, tools: Tools): Promise<void> => {
  await mkdir(folder)
  await symlink(execPath, join(folder, 'node'))
  await writeFile(join(folder, 'npx'), npx(tools.npx), { mode: 0o755 })
  for (const name of ['npm', 'pnpm', 'yarn', 'bun'] as const) {
    const found = tools[name]
    if (found === undefined) await writeFile(join(folder, name), missing(name), { mode: 0o755 })
    else await symlink(found, join(folder, name))
  }
}
