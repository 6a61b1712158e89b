import type { Test } from 'tap'
import {
  type CheckResult as AnyCheckResult,
  CheckResultPage,
} from '../../control-plane/monitoring/results/schema.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import { compile } from '../../protocol/validate.ts'
import { callApi } from './api.ts'
import { until } from './until.ts'

/** With the detail that journeys look into most. */
export type CheckResult = AnyCheckResult & { apiCheckResult: HttpCheckResult | null }

type Page = { length: number; entries: CheckResult[] }

const validatePage = compile(CheckResultPage)

/** `isThere`: what is waited for, where a first result is not enough; files follow their result. */
type Waiting = { isThere?: (result: CheckResult) => boolean }

/** The first result of a new check, in the private location `local` unless `check` says otherwise. */
export const firstResult = async (
  t: Test,
  url: string,
  path: string,
  { isThere = () => true, ...check }: Waiting & Record<string, unknown>,
): Promise<CheckResult> => {
  const body = { name: 'journey', privateLocations: ['local'], locations: [], frequency: 10, ...check }
  const created = await callApi<{ id: string }>(url, path, { method: 'POST', body })
  t.equal(created.status, 201, JSON.stringify(created.body))
  let result: CheckResult | undefined
  const look = async (): Promise<boolean> => {
    const { body: page } = await callApi<Page>(url, `/v2/check-results/${created.body.id}`)
    t.ok(validatePage(structuredClone(page)).ok || page.length === 0)
    result = page.entries[0]
    return result !== undefined && isThere(result)
  }
  // Checks after each other stay below 600 requests in a minute.
  await until('the first result', look, 150)
  return result as CheckResult
}
