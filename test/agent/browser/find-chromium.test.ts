import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { findChromium } from '../../../agent/browser/find-chromium.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const cases: { name: string; files: string[]; found: string | null; kind?: string }[] = [
  { name: 'none', files: [], found: null },
  {
    name: "the system's shell before Playwright's",
    files: ['system/shell', 'own/chromium_headless_shell-1200/chrome-linux/headless_shell'],
    found: 'system/shell',
    kind: "Debian's headless shell",
  },
  {
    name: "Playwright's newest shell before a whole Chromium",
    files: [
      'system/whole',
      'own/chromium_headless_shell-999/chrome-linux/headless_shell',
      'own/chromium_headless_shell-1200/chrome-linux/headless_shell',
      'own/chromium-1300/chrome-linux/chrome',
    ],
    found: 'own/chromium_headless_shell-1200/chrome-linux/headless_shell',
    kind: "Playwright's headless shell",
  },
  {
    name: "the system's whole one before Playwright's",
    files: ['system/whole', 'own/chromium-1300/chrome-linux/chrome'],
    found: 'system/whole',
    kind: "the system's Chromium",
  },
  {
    name: "Playwright's whole one at last",
    files: ['own/chromium-1300/chrome-linux64/chrome'],
    found: 'own/chromium-1300/chrome-linux64/chrome',
    kind: "Playwright's Chromium",
  },
]

for (const { name, files, found, kind } of cases)
  t.test(name, async (t) => {
    const folder = temporaryFolder(t)
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), '')
    }
    const system = {
      shells: [{ path: join(folder, 'system/shell'), kind: "Debian's headless shell" }],
      whole: [{ path: join(folder, 'system/whole'), kind: "the system's Chromium" }],
    }
    t.same(
      findChromium(join(folder, 'own'), system),
      found === null ? null : { path: realpathSync(join(folder, found)), kind },
    )
  })
