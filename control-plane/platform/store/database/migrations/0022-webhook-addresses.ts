/**
 * An address that alerts are posted to is a secret behind its host. Channels keep it sealed beside the config that they
 * showed; what they showed of it, and the log of notifications copied, becomes a mask here.
 */
import { Type } from 'typebox'
import { boundedMemo } from '../../../../../protocol/bounded-memo.ts'
import {
  createSecretFinder,
  type SecretFinder,
  withoutCuts,
} from '../../../../../protocol/secrets/find-secrets.ts'
import { shortestSecret } from '../../../../../protocol/secrets/secret-forms.ts'
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
  const addressOf = boundedMemo(masked, { limit: 1000 })
  for (const place of places) {
    let after: ColumnRow | null = null
    do {
      const rows: ColumnRow[] = await readColumn(trx, place, { after, limit: batchSize })
      for (const row of rows) {
        const value = withMask(row.value, addressOf)
        if (value !== row.value) await replaceValue(trx, place, { row, value })
      }
      after = rows.length < batchSize ? null : (rows.at(-1) ?? null)
    } while (after)
  }
}

/** `finder`: of what the mask hides, in a receiver's answer. */
type Masked = { url: string; finder: SecretFinder | null }

const leftAsItIs = [
  // As addresses of services that are known were shown before.
  /^https?:\/\/(\*{3}@)?[^/?#\\@]+\/\*{3}(.{4})?$/s,
  // A variable, or a host alone.
  /^\{\{\{?[\w.]+\}?\}\}$/,
  /^https?:\/\/[^/?#\\@{}]+\/?$/,
]

const masked = (url: string): Masked => {
  if (leftAsItIs.some((form) => form.test(url))) return { url, finder: null }
  const [, scheme, user = '', host, rest = ''] =
    /^(https?:\/\/)([^/?#\\]*@)?([^/?#\\@{}]+)(.*)$/is.exec(url) ?? []
  const origin = host === undefined ? 'https:/' : `${scheme}${user && '***@'}${host}`
  const parts = [rest, rest.split(/[?#]/)[0] ?? ''].filter(({ length }) => length >= shortestSecret)
  return { url: `${origin}/***`, finder: parts.length === 0 ? null : createSecretFinder({ anyCase: parts }) }
}

/** The same text where there is nothing to mask. */
const withMask = (text: string, addressOf: (url: string) => Masked): string => {
  if (!text.includes('"url":')) return text
  const doc = stored.read(text)
  const { config, alertConfig, notificationResult } = doc
  const before = (config ?? alertConfig)?.['url']
  if (typeof before !== 'string') return text
  const { url, finder } = addressOf(before)
  if (url === before) return text
  return stored.write({
    ...doc,
    ...(config ? { config: { ...config, url } } : {}),
    ...(alertConfig ? { alertConfig: { ...alertConfig, url } } : {}),
    ...(notificationResult && finder
      ? { notificationResult: withoutCuts(notificationResult, finder.inText(notificationResult), '***') }
      : {}),
  })
}
