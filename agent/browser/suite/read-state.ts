import { join } from 'node:path'
import { compile } from '../../../protocol/validate.ts'
import { readSmall } from '../../base/open-folder.ts'
import type { PrivateFolder } from '../../isolation/private-folder.ts'
import { suiteFiles } from '../run-files.ts'
import { SuiteState } from './task.ts'

const maxBytes = 32 * 1024 * 1024

const validate = compile(SuiteState)

/** What a suite's own reporter kept, or null: its tests did not begin, or it is nothing that our program has written. */
export const readSuiteState = async ({
  path,
  writable,
  inside,
}: PrivateFolder): Promise<SuiteState | null> => {
  try {
    const text = await readSmall(join(inside, suiteFiles.state), maxBytes)
    if (text === null) return null
    const project = JSON.stringify(`${join(writable, suiteFiles.project)}/`).slice(1, -1)
    // The folder of the run is not shown.
    const checked = validate(JSON.parse(text.replaceAll(project, '').replaceAll(path, '')))
    return checked.ok ? checked.value : null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (error instanceof SyntaxError || ['ENOENT', 'EACCES'].includes(code)) return null
    throw error
  }
}
