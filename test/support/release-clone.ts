/** A clone of what a release is made of, with a section for the version in its changelog, committed. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { version } from '../../images/build-image.ts'
import { byHand, type Choices } from '../../release/provenance.ts'
import { scratchFolder } from './programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const parts = [
  ...['package.json', 'package-lock.json', 'CHANGELOG.md', 'LICENSE', 'helm', 'command', 'protocol'],
  ...['docs/monitoring', 'docs/checks-as-code.md'],
]

export const inClone = (folder: string, args: readonly string[]): string => {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@shop.example', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  return stdout
}

export const commitAll = (folder: string): void => {
  inClone(folder, ['add', '--all'])
  inClone(folder, ['commit', '--quiet', '--message', 'A change'])
}

export const releaseClone = async (t: Test): Promise<string> => {
  const folder = join(await scratchFolder(t), 'clone')
  for (const part of parts)
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.includes('node_modules'),
    })
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n- Later.\n\n## ${version} (2026-12-01)`),
  )
  inClone(folder, ['init', '--quiet'])
  commitAll(folder)
  return folder
}

export const withoutImages: Choices = {
  ...{ images: [], architectures: ['x64'], base: null, builder: byHand },
  source: null,
}
