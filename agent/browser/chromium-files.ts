import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { PathRule } from '../isolation/landlock.ts'
import { readableRule } from '../isolation/system-files.ts'

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
