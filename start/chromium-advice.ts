import type { ChromiumProgram } from '../agent/browser/find-chromium.ts'

/** `folder`: that of Playwright's own browsers. */
type Looked = { found: ChromiumProgram | null; folder: string; runtime: string }

/** Lines for people who have installed a runtime: which Chromium browser checks will have, or how to get one. */
export const chromiumAdvice = ({ found, folder, runtime }: Looked): string[] => {
  if (found !== null) return [`browser checks take the Chromium ${found.path} (${found.kind}).`]
  const playwright = `runtimes/${runtime}/node_modules/playwright-core/cli.js`
  return [
    'no Chromium was found, which browser checks need (multi-step checks do not). Any of these, the best first:',
    '  apt-get install chromium-headless-shell',
    "  a headless shell of your system's own packages",
    `  PLAYWRIGHT_BROWSERS_PATH=${folder} node ${playwright} install chromium-headless-shell`,
  ]
}
