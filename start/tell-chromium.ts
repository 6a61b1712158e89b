/** `npm run runtime <id>`, after it: says which Chromium browser checks will have here, or how to get one. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../agent/browser/find-chromium.ts'

const [runtime = ''] = process.argv.slice(2)
const folder = process.env['PLAYWRIGHT_BROWSERS_PATH'] || join(homedir(), '.cache/ms-playwright')
const found = findChromium(folder)
const lines =
  found === null
    ? [
        'no Chromium was found, which browser checks need (multi-step checks do not). Any of these, the cheapest first:',
        '  apt-get install chromium-headless-shell',
        "  a headless shell of the system's own packages",
        `  node runtimes/${runtime}/node_modules/playwright-core/cli.js install --only-shell   (Playwright's own, into ${folder})`,
      ]
    : [`browser checks take the Chromium ${found.path} (${found.kind}).`]
process.stderr.write(lines.map((line) => `watchpost: ${line}\n`).join(''))
