/**
 * A control plane whose time passes sixty times as fast, so that an hour is a minute: results are over after a few of them,
 * hours are counted, periods end, and what a week does to a store is seen soon. Its settings are those of the program.
 */
import pino from 'pino'
import { loops } from '../../control-plane/loops.ts'
import { makePeriods } from '../../control-plane/monitoring/results/stored/make-periods.ts'
import { createSteadyClock } from '../../control-plane/platform/services/clock/steady-clock.ts'
import { onPort } from '../../control-plane/platform/settings/config.ts'
import { makeDataFolder } from '../../control-plane/platform/settings/data-folder.ts'
import { openListener } from '../../control-plane/platform/web/http/server/listener.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import { openApp, serve } from '../../control-plane/serve.ts'

const speed = Number(process.env['SOAK_SPEED'] ?? 60)
/** In the time of the control plane. */
const hourMs = 3_600_000
const retentionHours = { results: 3, details: 1 }
/** Rows of a period, which ends with so many, as on a large installation. */
const largestPeriod = 2000

const begunAt = { wall: Date.now(), monotonic: performance.now() }
const steadyClock = createSteadyClock({
  wall: () => begunAt.wall + (performance.now() - begunAt.monotonic) * speed,
  monotonic: () => performance.now() * speed,
})

const given = readConfig(process.env)
makeDataFolder(given.dataDir)
const listener = await openListener(given.port, given.host)
const all = Object.fromEntries(
  Object.keys(given.retention).map((kind) => [kind, retentionHours.results * hourMs]),
)
const config = {
  ...onPort(given, listener.port),
  retention: { ...given.retention, ...all, details: retentionHours.details * hourMs },
}
const log = pino({ level: config.logLevel }, pino.destination({ dest: 1, sync: true }))
const app = await openApp({ config, log, monotonic: () => performance.now(), steadyClock })
const serving = serve(app, {
  listener,
  nodeVersion: process.version,
  loops: loops.map((loop) =>
    loop.name === 'result-periods'
      ? {
          ...loop,
          intervalMs: 2000,
          tick: (ticked) => makePeriods(ticked.db, { now: ticked.clock.now(), largest: largestPeriod }),
        }
      : loop,
  ),
})

process.once('SIGTERM', async () => {
  await serving.stop()
  process.exit(0)
})
