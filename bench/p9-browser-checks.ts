/** P9: what a browser check takes, beside the same file run by hand. */
import type { Bench, Row, Running } from './bench.ts'
import {
  type BrowserTool,
  findParts,
  openAgent,
  openBare,
  type RunCost,
  type ScriptPair,
  type Style,
  waitingMb,
} from './support/browser-runs.ts'
import { median, percentile, rounded, times } from './support/numbers.ts'
import { watchPeakMb } from './support/process-trees.ts'
import { isSmall, sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'

const rounds = sized(5, 1)
const together = sized(2, 1)
const goal = { wall: 0.5, cpuInAll: 0.7 }

const scripts = (origin: string): ScriptPair => ({
  test: `import { test, expect } from '@playwright/test'
test('page', async ({ page }) => {
  await page.goto('${origin}/')
  expect(await page.textContent('body')).not.toBe('')
})`,
  library: `const { chromium } = require('playwright')
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto('${origin}/')
await page.textContent('body')
await browser.close()`,
})

type Costs = { wall: number; wallMedian: number; cpu: number; cpuInAll: number; mb: number }

const peakTogether = async (tool: BrowserTool): Promise<number> => {
  const { roots, ended } = await tool.runTogether(together)
  const stop = watchPeakMb(roots)
  try {
    await ended
  } finally {
    // Also when a run has failed.
    stop()
  }
  return Math.round(stop() / together)
}

const summary = (all: readonly RunCost[], mb: number): Costs => ({
  wall: percentile(
    all.map(({ wallMs }) => wallMs),
    0,
  ),
  wallMedian: median(all.map(({ wallMs }) => wallMs)),
  cpu: median(all.map(({ cpuMs, preparedMs }) => cpuMs - preparedMs)),
  cpuInAll: median(all.map(({ cpuMs }) => cpuMs)),
  mb,
})

const measure = async (b: Running, style: Style, origin: string): Promise<Row> => {
  const script = scripts(origin)[style]
  const agent = await openAgent(b, script, together)
  const bare = openBare(b, { style, script, sandbox: agent.sandbox })
  // Nothing of a small one has to be warm; but what waits is prepared after a first run of its kind.
  if (!isSmall) await bare.run()
  await Promise.all(Array.from({ length: together }, agent.warm))
  const waiting = (await waitingMb(agent.leaders)) / agent.leaders().length
  const ours: RunCost[] = []
  const theirs: RunCost[] = []
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await bare.run())
    ours.push(await agent.tool.run())
  }
  await waitingMb(agent.leaders)
  const costs = {
    ours: summary(ours, await peakTogether(agent.tool)),
    bare: summary(theirs, await peakTogether(bare)),
  }
  b.say(`${style}: ${JSON.stringify(costs)}`)
  // What waits of this one would be counted as the next one's.
  await agent.end()
  return rowOf(style, costs, waiting)
}

const rowOf = (style: Style, { ours, bare }: Record<'ours' | 'bare', Costs>, waiting: number): Row => {
  const ratios = { wall: ours.wall / bare.wall, cpu: ours.cpu / bare.cpu, inAll: ours.cpuInAll / bare.cpu }
  const said = ({ wall, cpu, mb }: Costs) => `${rounded(wall)} ms, CPU ${rounded(cpu)} ms, ${mb} MB`
  return {
    name: `P9 ${style}`,
    work:
      style === 'test'
        ? 'file of tests, by a prepared runner'
        : 'program of the library, by a prepared process',
    ours: `${said(ours)}; with its preparation CPU ${rounded(ours.cpuInAll)} ms`,
    against: `${style === 'test' ? 'cli.js test' : 'node'} ${said(bare)}`,
    ratio: `wall ${times(ratios.wall)}, CPU ${times(ratios.cpu)} (in all ${times(ratios.inAll)}), memory ${times(ours.mb / bare.mb)}`,
    goal: `≤ ${goal.wall}× wall, ≤ ${goal.cpuInAll}× CPU in all, less memory`,
    met: ratios.wall <= goal.wall && ratios.inAll <= goal.cpuInAll && ours.mb < bare.mb,
    numbers: {
      ...Object.fromEntries(Object.entries(ours).map(([name, value]) => [`ours_${name}`, rounded(value)])),
      ...Object.fromEntries(Object.entries(bare).map(([name, value]) => [`bare_${name}`, rounded(value)])),
      waitingMb: rounded(waiting),
    },
    notes: [],
  }
}

export const browserChecks: Bench = {
  id: 'P9',
  name: 'p9-browser-checks',
  measures: `a browser check of one small page in isolation, from the job to its result, by a process that waited, against the same file run bare on the same Chromium; in turn, ${rounds} rounds: the shortest wall time, the median CPU (after hand-over, the agent's own included); memory is the most that ${together} runs at once held, each shared page counted in parts, for one of them`,
  run: async (b) => {
    if (findParts() === null)
      throw new Error('there is no Chromium of the system, or runtimes/2026-04 is not installed')
    const origin = await startTarget(b, 'http')
    return [await measure(b, 'test', origin), await measure(b, 'library', origin)]
  },
}
