/** What `/metrics` shows of the files of this machine: the log of an embedded store, and the volumes. */

import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sqliteFile } from '../store/database/open.ts'
import type { App } from './app.ts'
import { gauge, type HasMetrics } from './metrics.ts'
import { type LabelledLevel, scrapedGauges } from './scraped-gauges.ts'

export const storeFileMetrics = {
  limit: gauge({
    name: 'watchpost_store_limit_bytes',
    help: 'Bytes that the rows of the store may take by STORE_MAX_GB; 0 without it',
  }),
  levels: scrapedGauges({
    logBytes: ['watchpost_store_wal_bytes', 'Size of the write-ahead log of an embedded store'],
    volumeFreeBytes: [
      'watchpost_volume_free_bytes',
      'Free on the volume of a folder: store, of an embedded one, or data, for DATA_DIR',
      'folder',
    ],
    volumeBytes: ['watchpost_volume_size_bytes', 'Size of that volume', 'folder'],
  }),
}

export const watchStoreFiles = (app: Pick<App, 'config'> & HasMetrics): void => {
  const { config } = app
  const file = sqliteFile(config.databaseUrl)
  const folders = { data: config.dataDir, ...(file === null ? {} : { store: dirname(file) }) }
  storeFileMetrics.limit(app).set(config.storeMaxBytes ?? 0)
  storeFileMetrics.levels(app)(async () => {
    const volumes = await Promise.all(Object.entries(folders).map(readVolume))
    const of = (pick: (volume: Volume) => number): LabelledLevel[] =>
      volumes.flatMap((volume) =>
        volume === null ? [] : [{ labels: { folder: volume.folder }, value: pick(volume) }],
      )
    return {
      logBytes: file === null ? [] : ((await sizeOf(`${file}-wal`)) ?? []),
      volumeFreeBytes: of(({ free }) => free),
      volumeBytes: of(({ size }) => size),
    }
  })
}

type Volume = { folder: string; free: number; size: number }

/** Null: the folder cannot be read, and the other metrics are wanted all the more. */
const readVolume = async ([folder, path]: [string, string]): Promise<Volume | null> => {
  const read = await statfs(path).catch(() => null)
  return read && { folder, free: read.bavail * read.bsize, size: read.blocks * read.bsize }
}

/** Null: there is no such file. */
const sizeOf = async (path: string): Promise<number | null> =>
  (await stat(path).catch(() => null))?.size ?? null
