/**
 * A check type that nobody needs: it looks whether a number is even. As the three files and the three lines that the recipe
 * in CONTRIBUTING.md asks for, in the words of somebody who follows it.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const texts = fileURLToPath(new URL('made-up-type', import.meta.url))

/** Where the files go, and what they are (texts, because they are sources of no clone but the test's). */
const files: Record<string, string> = {
  'protocol/checks/parity.ts': 'protocol.txt',
  'agent/checks/parity.ts': 'agent.txt',
  'control-plane/monitoring/definitions/checks/types/parity.ts': 'control-plane.txt',
}

/** Index files, what the line names, and what the line is. */
const lines: Record<string, [name: string, registry: RegExp]> = {
  'protocol/checks/index.ts': ['parityProtocol', /export const checkProtocols = \{\n/],
  'agent/checks/index.ts': ['parityRunner', /export const runners[^=]*= \{\n/],
  'control-plane/monitoring/definitions/checks/types/index.ts': [
    'parity',
    /export const checkKinds[^=]*= \{\n/,
  ],
}

/** Adds it to the sources in `folder`; the paths that were touched. */
export const addMadeUpType = async (folder: string): Promise<string[]> => {
  for (const [path, text] of Object.entries(files)) await copyFile(join(texts, text), join(folder, path))
  for (const [path, [name, registry]] of Object.entries(lines)) {
    const before = await readFile(join(folder, path), 'utf8')
    const after = before.replace(registry, (opening) => `${opening}  PARITY: ${name},\n`)
    if (after === before) throw new Error(`${path} has no registry`)
    await writeFile(join(folder, path), `import { ${name} } from './parity.ts'\n${after}`)
  }
  return [...Object.keys(files), ...Object.keys(lines)]
}
