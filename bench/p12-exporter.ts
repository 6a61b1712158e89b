/** P12: what a scrape of a large account costs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { exporter } from '../control-plane/insight/prometheus/exporter.ts'
import type { Piece } from '../control-plane/insight/prometheus/families.ts'
import type { Switches } from '../control-plane/insight/prometheus/render-checks.ts'
import { scrapeBody } from '../control-plane/insight/prometheus/scrape-body.ts'
import type { WholeApp } from '../control-plane/whole-app.ts'
import { finishedRun } from '../test/support/exporter.ts'
import { loopMeter } from '../test/support/loop-meter.ts'
import { accountId } from '../test/support/programs.ts'
import type { Bench, Row } from './bench.ts'
import { fillAccount } from './support/fill-account.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { appOver } from './support/prepare.ts'
import { sized } from './support/size.ts'

const checks = sized(10_000, 60)
const groups = sized(200, 4)
const goalMs = 20
const goalMb = 10
const goalTotalMs = 2000

type Work = { name: string; switches: Switches; format: 'openmetrics' | 'protobuf' }

const usual = {
  locationLabelEnabled: false,
  includeRetryAttempts: false,
  disableTagParsing: false,
  classicHistograms: false,
}
const withThem = { ...usual, histograms: true }
const works: readonly Work[] = [
  { name: 'with classic histograms', switches: withThem, format: 'openmetrics' },
  { name: 'without histograms', switches: { ...usual, histograms: false }, format: 'openmetrics' },
  { name: 'in protobuf, whose histograms begin', switches: withThem, format: 'protobuf' },
  { name: 'with native histograms', switches: withThem, format: 'protobuf' },
]

type Size = { bytes: number; sent: number }

/** As the server does it for Prometheus: the text is made in turns, packed by another thread, and each piece is given away. */
const scraped = async (app: WholeApp, { switches, format }: Work): Promise<Size> => {
  const pieces = await exporter(app).scrape({
    accountId,
    switches,
    standardNames: false,
    format,
  })
  const size: Size = { bytes: 0, sent: 0 }
  const counted = async function* (): AsyncGenerator<Piece> {
    for await (const piece of pieces) {
      size.bytes += Buffer.byteLength(piece)
      yield piece
    }
  }
  for await (const chunk of scrapeBody(counted(), 'gzip').body) size.sent += chunk.length
  return size
}

const measured = async (app: WholeApp, scrape: Work): Promise<Row> => {
  const meter = loopMeter()
  const beganCpu = process.cpuUsage()
  const began = performance.now()
  const { bytes, sent } = await scraped(app, scrape)
  const tookMs = performance.now() - began
  const { user, system } = process.cpuUsage(beganCpu)
  meter.stop()
  const longestMs = meter.longestMs()
  return {
    name: 'P12',
    work: `a scrape of ${grouped(checks)} checks ${scrape.name}`,
    ours: `${rounded(sent / 1e6, 1)} MB (unpacked ${rounded(bytes / 1e6, 1)}) in ${Math.round(tookMs)} ms, CPU ${Math.round((user + system) / 1000)} ms, longest turn ${rounded(longestMs, 1)} ms`,
    against: '',
    ratio: '',
    goal: `≤ ${goalMb} MB sent, ≤ ${goalTotalMs / 1000} s, turns ≤ ${goalMs} ms`,
    met: longestMs <= goalMs && sent <= goalMb * 1e6 && tookMs <= goalTotalMs,
    numbers: {
      bytes,
      sentBytes: sent,
      cpuMs: rounded((user + system) / 1000),
      tookMs: rounded(tookMs, 1),
      longestTurnMs: rounded(longestMs, 2),
    },
    notes: [],
  }
}

export const exporterScrape: Bench = {
  id: 'P12',
  name: 'p12-exporter',
  measures: `size (packed, as it is sent, and unpacked), time and longest turn of the event loop of a scrape of ${grouped(checks)} URL monitors in ${groups} groups that have run in three locations, in one process with nothing else to do`,
  run: async (b) => {
    const { db } = await install(b)
    const url = (index: number) => `https://shop-${index}.example/`
    const ids = await fillAccount(db, { checks, groups, url })
    const app = appOver(db)
    const first = await measured(app, {
      name: 'for the first time',
      switches: withThem,
      format: 'openmetrics',
    })
    const runAll = () => {
      for (const checkId of ids) app.finishedRuns.publish([finishedRun({ app, accountId }, { checkId })])
    }
    runAll()
    // What is set is read again.
    await sleep(5100)
    const rows = [first]
    for (const work of works) {
      rows.push(await measured(app, work))
      runAll()
    }
    return rows
  },
}
