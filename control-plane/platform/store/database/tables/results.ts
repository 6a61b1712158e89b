/** What the tables of results are found by (monitoring/results/). Conventions: store/database/tables.ts. */

/** A check as rows of results name it. */
export type CheckNumbersTable = { n: number; check_id: string; account_id: string; check_type: string }

/** A location's name as rows of results name it. */
type LocationNumbersTable = { n: number; name: string }

/** Ids of results that were made from `from_at` until before `to_at` are in the tables `…_<n>`. */
export type ResultPeriodsTable = {
  n: number
  from_at: number
  to_at: number
  /** Earliest and latest start of a run in it; null: nothing came yet. Only an embedded store keeps them. */
  oldest_at: number | null
  newest_at: number | null
  results: number
  /** Documents of ids before it were looked at, and packed where it was worth it. */
  packed_until: number
  /** 0: what passing runs saw is over, and its table is gone. */
  has_details: number
  /** 1: its time is over, what stays is being copied, and nothing more comes in. */
  closed: number
}

export type ResultTables = {
  check_numbers: CheckNumbersTable
  location_numbers: LocationNumbersTable
  result_periods: ResultPeriodsTable
}
