import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PathRule } from '../walls/landlock.ts'
import { readableRule } from '../walls/system-files.ts'

/** Where systems put the program itself: what lies in /usr/bin is a script that would need a shell. */
const ofSystem = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
]

const namesOfPlaywright = [
  'chrome-headless-shell-linux64/chrome-headless-shell',
  'chrome-linux/headless_shell',
  'chrome-headless-shell-linux-arm64/chrome-headless-shell',
]

/** The first that is there: the system's headless shell, another Chromium of it, Playwright's own. Null: none. */
export const findChromium = (browsersFolder: string, system: readonly string[] = ofSystem): string | null => {
  const found = [...system, ...ofPlaywright(browsersFolder)].find(existsSync)
  return found === undefined ? null : realpathSync(found)
}

const ofPlaywright = (folder: string): string[] => {
  if (!existsSync(folder)) return []
  const newestFirst = readdirSync(folder)
    .filter((name) => name.startsWith('chromium_headless_shell-'))
    .toSorted((a, b) => Number(b.split('-')[1]) - Number(a.split('-')[1]))
  return newestFirst.flatMap((name) => namesOfPlaywright.map((path) => join(folder, name, path)))
}

/** Libraries, and fonts: without them pages come out empty. */
const readByBrowsers = [
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/share/fonts', '/usr/local/share/fonts'],
  ...[
    '/etc/fonts',
    '/usr/share/fontconfig',
    '/var/cache/fontconfig',
    '/etc/ssl',
    '/usr/share/ca-certificates',
  ],
]

/** What a browser needs of the machine. Its own sandbox writes who is who in its namespaces (user_namespaces(7)). */
export const filesOfChromium = (path: string, sandbox: boolean): readonly PathRule[] => [
  ...[...new Set(readByBrowsers.filter(existsSync).map((one) => realpathSync(one)))].map(readableRule),
  { path: dirname(path), file: false, may: 'run' },
  { path: '/proc', file: false, may: sandbox ? 'change' : 'read' },
]
