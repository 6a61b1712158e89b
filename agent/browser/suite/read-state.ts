import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compile } from '../../../protocol/validate.ts'
import type { PrivateFolder } from '../../isolation/private-folder.ts'
import { suiteFiles } from '../run-files.ts'
import { SuiteState } from './task.ts'

const maxBytes = 32 * 1024 * 1024

const validate = compile(SuiteState)

/** What a suite's own reporter kept, or null: its tests did not begin, or it is nothing that our program has written. */
export const readSuiteState = async ({ path, writable }: PrivateFolder): Promise<SuiteState | null> => {
  const file = join(writable, suiteFiles.state)
  try {
    const entry = await lstat(file)
    if (!entry.isFile() || entry.nlink > 1 || entry.size > maxBytes) return null
    const text = await readFile(file, 'utf8')
    const project = JSON.stringify(`${join(writable, suiteFiles.project)}/`).slice(1, -1)
    // The folder of the run is not shown.
    const checked = validate(JSON.parse(text.replaceAll(project, '').replaceAll(path, '')))
    return checked.ok ? checked.value : null
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
