import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A judge from outside: the fields of each packet of a capture file, as tshark reads them. */
export const tshark = (file: Buffer, fields: readonly string[]): string[][] => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-tshark-'))
  const path = join(folder, 'capture.pcap')
  try {
    writeFileSync(path, file)
    const options = fields.flatMap((field) => ['-e', field])
    const printed = execFileSync('tshark', ['-n', '-r', path, '-T', 'fields', ...options], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 400_000,
    })
    return printed
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const tsharkProblem = (): string | null =>
  spawnSync('tshark', ['--version']).status === 0 ? null : 'tshark is not installed'
