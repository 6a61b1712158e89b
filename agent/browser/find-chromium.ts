import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** A browser of this machine. `kind`: which of them it is, in words. */
export type ChromiumProgram = { path: string; kind: string }

/** Where systems put the program itself: what lies in /usr/bin is a script that would need a shell. */
const shellsOfSystem: readonly ChromiumProgram[] = [
  { path: '/usr/lib/chromium/chromium-headless-shell', kind: "Debian's headless shell" },
  { path: '/usr/lib64/chromium-browser/headless_shell', kind: "Fedora's headless shell" },
]
const wholeOfSystem: readonly ChromiumProgram[] = [
  { path: '/usr/lib/chromium/chromium', kind: "the system's Chromium" },
  { path: '/usr/lib64/chromium-browser/chromium-browser', kind: "the system's Chromium" },
  { path: '/opt/google/chrome/chrome', kind: "the system's Chrome" },
]

type OfPlaywright = { folders: string; kind: string; names: readonly string[] }

const shellOfPlaywright: OfPlaywright = {
  folders: 'chromium_headless_shell-',
  kind: "Playwright's headless shell",
  names: [
    'chrome-headless-shell-linux64/chrome-headless-shell',
    'chrome-linux/headless_shell',
    'chrome-headless-shell-linux-arm64/chrome-headless-shell',
  ],
}
const wholeOfPlaywright: OfPlaywright = {
  folders: 'chromium-',
  kind: "Playwright's Chromium",
  names: ['chrome-linux64/chrome', 'chrome-linux/chrome'],
}

/** Programs that a system may have, the best first. */
type OfSystem = { shells: readonly ChromiumProgram[]; whole: readonly ChromiumProgram[] }

/**
 * The first that is there, null: none. Headless shells come first, the system's before Playwright's: a whole Chromium costs more
 * than twice as much, and needs sockets that the isolation refuses.
 */
export const findChromium = (
  browsersFolder: string,
  { shells, whole }: OfSystem = { shells: shellsOfSystem, whole: wholeOfSystem },
): ChromiumProgram | null => {
  const found = [
    ...shells,
    ...inFolder(browsersFolder, shellOfPlaywright),
    ...whole,
    ...inFolder(browsersFolder, wholeOfPlaywright),
  ].find(({ path }) => existsSync(path))
  return found === undefined ? null : { ...found, path: realpathSync(found.path) }
}

/** Newest first. */
const inFolder = (folder: string, { folders, kind, names }: OfPlaywright): ChromiumProgram[] => {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(folders))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
    .flatMap((name) => names.map((path) => ({ path: join(folder, name, path), kind })))
}

const revisionOf = (folder: string): number => Number(folder.split('-')[1])

/** One sentence for a machine that has none. */
export const howToGetChromium = '"apt-get install chromium-headless-shell" installs one (docs/runtimes.md)'
