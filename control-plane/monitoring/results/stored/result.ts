/** A result as the rest of the program sees it, whatever its rows look like. */
export type Result = {
  id: string
  account_id: string
  check_id: string
  check_type: string
  result_type: string
  location: string
  due_at: number
  started_at: number
  stopped_at: number
  created_at: number
  response_time: number
  has_failures: boolean
  has_errors: boolean
  is_degraded: boolean
  is_cancelled: boolean
  over_max: boolean
  attempts: number
  sequence_id: string
  check_run_id: number
}

export type ResultWithDoc = Result & { doc: string }
