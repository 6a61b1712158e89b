/**
 * Checks by the thousand: the API allows 600 requests a minute, so they are written to the store with the project's own
 * `createCheck` (the function behind POST /v1/checks/url), after the same validation.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { App } from '../../control-plane/app.ts'
import { createCheck, type NewCheckDoc } from '../../control-plane/checks/save-check.ts'
import { NewUrlMonitor } from '../../control-plane/checks/schema.ts'
import type { Database } from '../../control-plane/database/db.ts'
import { openDatabase } from '../../control-plane/database/open.ts'
import { createWakeups } from '../../control-plane/runs/wakeups.ts'
import { compile } from '../../protocol/validate.ts'
import { accountId, type Teardown } from '../../test/support/programs.ts'

const validate = compile(NewUrlMonitor)

/** The store of a control plane, opened beside it; closed when the benchmark ends. */
export const openStore = (b: Teardown, dataDir: string): Database => {
  const db = openDatabase(`sqlite:${dataDir}/watchpost.db`)
  b.teardown(() => db.close())
  return db
}

export type UrlMonitorBody = { name: string; request: object; frequency: number; frequencyOffset?: number }

const atOnce = 500

/** Creates `count` URL checks in the location `local`; returns their ids. */
export const createChecks = async (
  db: Database,
  count: number,
  body: (index: number) => UrlMonitorBody,
): Promise<string[]> => {
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => Promise.resolve() }
  const app = { db, clock, newId: randomUUID, randomBytes, wakeups: createWakeups() } as unknown as App
  const ids: string[] = []
  for (let first = 0; first < count; first += atOnce) {
    const rows = await Promise.all(
      Array.from({ length: Math.min(atOnce, count - first) }, (_, i) =>
        createCheck(app, accountId, 'URL', validBody({ ...body(first + i), privateLocations: ['local'] })),
      ),
    )
    ids.push(...rows.map(({ id }) => id))
  }
  return ids
}

const validBody = (body: object): NewCheckDoc => {
  const checked = validate(body)
  if (!checked.ok) throw new Error(checked.violations.map(({ message }) => message).join('; '))
  return checked.value as NewCheckDoc
}
