/** Why no control plane planned or handed out what was due: what really stood in its way, as far as this process knows. */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { storeErrorWithin } from '../../platform/app/report-store-error.ts'
import type { StoreErrorKind } from '../../platform/store/database/store-error.ts'

/** When this process began its work. */
export const startedAt = perApp(({ clock }) => clock.now())

const causes: Record<StoreErrorKind, string> = {
  full: 'the disk of its store was full',
  away: 'its store could not be reached',
  busy: 'its store was locked by somebody else',
  broken: 'its store could not be read or written',
}

/** One sentence on a time in which nothing was done. */
export const whyNoControlPlane = (app: App, { from, to }: { from: number; to: number }): string => {
  const kind = storeErrorWithin(app, { from, to })
  if (kind !== null) return `The control plane could not do its work at that time: ${causes[kind]}.`
  return from < startedAt(app)
    ? 'No control plane was at work at that time: it was not running, or could not write to its store.'
    : 'The control plane stood still at that time: its process or its machine was stopped, or its store did not answer.'
}
