import type { BrowserStatus } from './try-browser.ts'

/** A line for the log at the start: what there is for browser and multi-step checks, or how to get it. */
export const describeBrowsers = (status: BrowserStatus): string => {
  const { runtimes, chromium, kind, version, problem, videoError } = status
  if (chromium === null) {
    const multiStep = runtimes.length === 0 ? '' : `; multi-step checks run (${runtimesOf(runtimes)})`
    return `no browser checks here: ${problem}${multiStep}`
  }
  const sandbox = problem ?? 'its own sandbox is on'
  const videos = videoError === null ? '' : `; no videos: ${videoError}`
  return `browser checks with Chromium ${version} (${chromium.path}, ${kind}; ${sandbox}), ${runtimesOf(runtimes)}${videos}`
}

const runtimesOf = (ids: readonly string[]): string =>
  `${ids.length === 1 ? 'runtime' : 'runtimes'} ${ids.join(' and ')}`
