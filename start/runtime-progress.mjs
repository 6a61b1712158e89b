/** How far the installation of a runtime is. Needs only Node 20 and its own modules, as provision.mjs does. */
import { existsSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** On a terminal one line is written anew; elsewhere, such as in CI, a line now and then. */
const everyMs = { terminal: 500, other: 5000 }

/** Paths of a lock file's packages that npm installs on this machine. */
export function packagesOf({ packages }, { platform, arch } = process) {
  const fits = (wanted, own) => !wanted || wanted.includes(own)
  return Object.entries(packages)
    .filter(([path, { os, cpu }]) => path !== '' && fits(os, platform) && fits(cpu, arch))
    .map(([path]) => path)
}

/** Shows how many of `paths` have come into `folder`, until the function that it returns is called. */
export function showProgress({ folder, paths, stream, now = Date.now }) {
  const startedAt = now()
  const show = () => {
    const there = paths.filter((path) => existsSync(join(folder, path, 'package.json'))).length
    const seconds = Math.round((now() - startedAt) / 1000)
    const text = `watchpost: ${there} of ${paths.length} packages, ${seconds} s`
    stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
  }
  const timer = setInterval(show, stream.isTTY ? everyMs.terminal : everyMs.other)
  return () => {
    clearInterval(timer)
    if (stream.isTTY) stream.write('\r\x1b[K')
  }
}

/** What a folder takes of the disk. */
export async function sizeOnDisk(folder) {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    // st_blocks counts 512 bytes each (stat(2)).
    bytes += entry.isDirectory() ? await sizeOnDisk(path) : (await lstat(path)).blocks * 512
  }
  return bytes
}
