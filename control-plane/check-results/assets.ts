/** The files that a result has, as a manifest (api-facts 12 "Asset manifest entry"). */
import { type Static, Type } from 'typebox'
import type { ResultsTable } from '../database/tables/runs.ts'

export const assetTypes = ['log', 'trace', 'video', 'screenshot', 'pcap', 'report', 'file'] as const

export const AssetManifest = Type.Object(
  {
    entries: Type.Array(
      Type.Object({
        type: Type.Enum([...assetTypes]),
        name: Type.String(),
        url: Type.String(),
        contentType: Type.String(),
        source: Type.Object({
          type: Type.Literal('check-result'),
          checkId: Type.String(),
          checkResultId: Type.String(),
        }),
      }),
    ),
    entriesReturned: Type.Integer({ minimum: 0 }),
    entriesTotal: Type.Integer({ minimum: 0 }),
    truncated: Type.Boolean(),
  },
  { title: 'AssetManifest' },
)
export type AssetManifest = Static<typeof AssetManifest>

/** What a result's doc says of a file that was stored with it. */
export type StoredAsset = { type: (typeof assetTypes)[number]; name: string; contentType: string }

const maxEntries = 1000

type Filter = { type?: string[]; name?: string }

export const assetManifest = (row: ResultsTable, baseUrl: string, filter: Filter): AssetManifest => {
  const { assets = [] } = JSON.parse(row.doc) as { assets?: StoredAsset[] }
  const meant = assets.filter(
    ({ type, name }) =>
      (filter.type === undefined || filter.type.includes(type)) &&
      (filter.name === undefined || matchesGlob(filter.name, name)),
  )
  const shown = meant.slice(0, maxEntries)
  const home = `${baseUrl}/v1/check-results/${row.check_id}/${row.id}/assets`
  return {
    entries: shown.map(({ type, name, contentType }) => ({
      type,
      name,
      url: `${home}/${encodeURIComponent(name)}`,
      contentType,
      source: { type: 'check-result', checkId: row.check_id, checkResultId: row.id },
    })),
    entriesReturned: shown.length,
    entriesTotal: meant.length,
    truncated: shown.length < meant.length,
  }
}

/**
 * `*` is any run of characters, `?` one. Greedy with one point to go back to, so that no pattern takes more than
 * length × length steps.
 */
export const matchesGlob = (glob: string, text: string): boolean => {
  let at = 0
  let position = 0
  let star = -1
  let restart = 0
  while (position < text.length) {
    if (at < glob.length && glob[at] === '*') {
      star = at
      restart = position
      at += 1
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[position])) {
      at += 1
      position += 1
    } else if (star !== -1) {
      at = star + 1
      restart += 1
      position = restart
    } else return false
  }
  return [...glob.slice(at)].every((rest) => rest === '*')
}
