import { join } from 'node:path'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { countRows } from '../../test/support/all-results.ts'
import {
  type ControlPlaneProgram,
  endsWith,
  listening,
  type Program,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
  type Teardown,
} from '../../test/support/programs.ts'
import { benchKeyEnvironment, openStore } from './prepare.ts'
import { isSmall } from './size.ts'

/** A control plane on a fresh store, which the benchmark can read beside it. */
export type Installation = {
  folder: string
  dataDir: string
  db: Database
  controlPlane: ControlPlaneProgram
  /** `more`: settings of its own. */
  startAgent(more?: Record<string, string>): Program
}

/** Of agents: as installed, they try a browser when they start; small ones leave out what costs more than all else that they do. */
export const browsers = !isSmall

/** As installed; the control plane's address is read from its log. */
const env = { LOG_LEVEL: 'info', CAPTURE: 'on' }

/** `more`: settings of the control plane beside those that every benchmark has. The store is embedded without a `DATABASE_URL`. */
export const install = async (b: Teardown, more: Record<string, string> = {}): Promise<Installation> => {
  const folder = await scratchFolder(b)
  const dataDir = join(folder, 'data')
  const controlPlane = await listening(
    endsWith(
      b,
      spawnControlPlane({ dataDir, env: { LOG_LEVEL: env.LOG_LEVEL, ...benchKeyEnvironment, ...more } }),
    ),
  )
  const db = openStore(b, more['DATABASE_URL'] ?? `sqlite:${dataDir}/watchpost.db`)
  return {
    folder,
    dataDir,
    db,
    controlPlane,
    startAgent: (more = {}) =>
      endsWith(
        b,
        spawnAgent({
          url: controlPlane.url,
          spoolDir: join(folder, 'spool'),
          env: { ...env, ...more },
          browsers,
        }),
      ),
  }
}

export const countResults = (db: Database): Promise<number> => countRows(db)
