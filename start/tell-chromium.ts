/** `npm run runtime <id>` ends with it: says which Chromium there is here. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../agent/browser/find-chromium.ts'
import { chromiumAdvice } from './chromium-advice.ts'

const [runtime = ''] = process.argv.slice(2)
const folder = process.env['PLAYWRIGHT_BROWSERS_PATH'] || join(homedir(), '.cache/ms-playwright')
for (const line of chromiumAdvice({ found: findChromium(folder), folder, runtime }))
  process.stderr.write(`watchpost: ${line}\n`)
