/**
 * An address that alerts are posted to is a secret behind its host. Channels keep it sealed beside the config that they
 * show; what they showed of it, and the log of notifications copied, becomes its mask.
 */
import { Type } from 'typebox'
import { boundedMemo } from '../../../../protocol/bounded-memo.ts'
import { createHider } from '../../secrets/hide-secrets.ts'
import { maskAddress } from '../../secrets/masks.ts'
import type { Db } from '../db.ts'
import { type ColumnPlace, type ColumnRow, readColumn, replaceValue } from '../sealed-columns.ts'
import { storedDoc } from '../stored-doc.ts'

type Config = Record<string, unknown>
type Doc = { config?: Config; alertConfig?: Config; notificationResult?: string | null }

const stored = storedDoc<ReturnType<typeof Type.Object>, Doc>({
  name: 'alert channel or notification',
  schema: Type.Object({}),
})

const batchSize = 500
const places: ColumnPlace[] = [
  { table: 'alert_channels', key: ['id'], column: 'doc' },
  { table: 'alert_notifications', key: ['id'], column: 'doc' },
]

export const webhookAddresses = async (trx: Db): Promise<void> => {
  const hiderOf = boundedMemo((url) => createHider([url]), { limit: 100 })
  for (const place of places) {
    let after: ColumnRow | null = null
    do {
      const rows: ColumnRow[] = await readColumn(trx, place, { after, limit: batchSize })
      for (const row of rows) {
        const value = masked(row.value, hiderOf)
        if (value !== row.value) await replaceValue(trx, place, { row, value })
      }
      after = rows.length < batchSize ? null : (rows.at(-1) ?? null)
    } while (after)
  }
}

type HiderOf = (url: string) => (text: string) => string

/** The same text where there is nothing to mask. */
const masked = (text: string, hiderOf: HiderOf): string => {
  if (!text.includes('"url":')) return text
  const doc = stored.read(text)
  const { config, alertConfig, notificationResult } = doc
  const url = (config ?? alertConfig)?.['url']
  if (typeof url !== 'string' || isMask.test(url)) return text
  const shown = { url: maskAddress(url) }
  return stored.write({
    ...doc,
    ...(config ? { config: { ...config, ...shown } } : {}),
    ...(alertConfig ? { alertConfig: { ...alertConfig, ...shown } } : {}),
    ...(notificationResult ? { notificationResult: hiderOf(url)(notificationResult) } : {}),
  })
}

/** As addresses of services that are known were shown before. */
const isMask = /^https?:\/\/(\*{3}@)?[^/?#\\@]+\/\*{3}(.{4})?$/s
