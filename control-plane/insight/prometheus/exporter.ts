/** The exporter of this process: a memory for each account that is scraped, fed by what finishes here and elsewhere. */

import { type ExpositionFormat, expositionEnd } from '../../../protocol/exposition.ts'
import type { HasFinishedRuns } from '../../monitoring/outcomes/finished-runs.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { type AccountMemory, beginNative, countRun, createAccountMemory } from './account-memory.ts'
import type { Piece } from './families.ts'
import { protobufPrinter } from './print-protobuf.ts'
import { textPrinter } from './print-text.ts'
import { nextTurn, refreshChecks } from './refresh-checks.ts'
import { refreshLocations } from './refresh-locations.ts'
import { familyPieces, type Switches, showCheck, writersOf } from './render-checks.ts'
import { locationPieces } from './render-locations.ts'
import { observationOf, type RunObservation } from './run-observations.ts'
import { createRunOutbox, type RunOutbox } from './run-outbox.ts'

/** Nobody has scraped for so long: its memory goes, and its counters begin anew with the next scrape. */
const forgetAfterMs = 3_600_000
/** Scrapes that come closer together share what was read. */
const refreshEveryMs = 5000
const checksPerTurn = 500

type Scrape = {
  accountId: string
  switches: Switches
  standardNames: boolean
  format: ExpositionFormat | 'protobuf'
}

type Exporter = {
  /** The answer in pieces; one turn of the event loop each. */
  scrape(scrape: Scrape): Promise<AsyncGenerator<Piece>>
  /** Runs that other control planes have taken in, at `at` by their clock. */
  takeForeign(runs: readonly RunObservation[], at: number): void
  /** Until when each account is followed here. */
  followed(): Array<{ accountId: string; until: number }>
  /** Runs for other control planes. */
  outbox: RunOutbox
}

const createExporter = (app: App & HasFinishedRuns): Exporter => {
  const memories = new Map<string, AccountMemory>()
  const refreshing = new Map<string, Promise<void>>()
  const outbox = createRunOutbox()

  app.finishedRuns.listen((runs) => {
    const now = app.clock.now()
    for (const run of runs) {
      const memory = memories.get(run.accountId)
      const isWanted = outbox.wants(run.accountId)
      if (memory === undefined && !isWanted) continue
      const observation = observationOf(run)
      if (memory !== undefined) countRun(memory, observation, now)
      if (isWanted) outbox.add(observation)
    }
  })

  const refresh = async (memory: AccountMemory): Promise<void> => {
    await refreshChecks(app, memory)
    await refreshLocations(app, memory)
    memory.refreshedAt = app.clock.now()
  }

  const memoryOf = async (accountId: string): Promise<AccountMemory> => {
    const now = app.clock.now()
    for (const [id, { scrapedAt }] of memories) if (scrapedAt < now - forgetAfterMs) memories.delete(id)
    const memory = memories.get(accountId) ?? createAccountMemory(accountId, now)
    memories.set(accountId, memory)
    memory.scrapedAt = now
    const begun = refreshing.get(accountId)
    if (begun !== undefined) await begun
    else if (memory.refreshedAt <= now - refreshEveryMs) {
      const begins = refresh(memory).finally(() => refreshing.delete(accountId))
      refreshing.set(accountId, begins)
      await begins
    }
    return memory
  }

  return {
    scrape: async ({ accountId, ...how }) => {
      const memory = await memoryOf(accountId)
      if (how.format === 'protobuf') beginNative(memory)
      return render(memory, { ...how, now: app.clock.now() })
    },
    takeForeign: (runs, at) => {
      for (const run of runs) {
        const memory = memories.get(run.accountId)
        if (memory !== undefined && at >= memory.since) countRun(memory, run, app.clock.now())
      }
    },
    followed: () =>
      [...memories].map(([accountId, { scrapedAt }]) => ({ accountId, until: scrapedAt + forgetAfterMs })),
    outbox,
  }
}

export const exporter = perApp(createExporter)

type Rendering = Omit<Scrape, 'accountId'> & { now: number }

async function* render(memory: AccountMemory, rendering: Rendering): AsyncGenerator<Piece> {
  const { switches, format, standardNames, now } = rendering
  const shown = []
  let position = 0
  for (const check of [...memory.checks.values()]) {
    const one = showCheck(check, switches)
    if (one !== null) shown.push(one)
    if (++position % checksPerTurn === 0) await nextTurn()
  }
  const print =
    format === 'protobuf' ? protobufPrinter({ classic: switches.classicHistograms }) : textPrinter(format)
  for (const writer of writersOf({ switches, now }))
    for (const piece of familyPieces(writer, shown, print)) {
      if (piece.length > 0) yield piece
      await nextTurn()
    }
  yield* locationPieces(memory, { standard: standardNames, print, now })
  if (format !== 'protobuf') yield expositionEnd(format)
}
