/** What somebody who looks at the installation asks for, one after the other. */
import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 250

export type Times = { take(): number[] }

const pathsOf = (checkIds: readonly string[], n: number): string => {
  const id = checkIds[n % checkIds.length] ?? ''
  const paths = [
    '/v1/checks?limit=100',
    '/v1/check-statuses?limit=100',
    `/v2/check-results/${id}?limit=100`,
    `/v2/check-results/${id}?limit=100&hasFailures=true`,
    `/v1/analytics/url-monitors/${id}?metrics=availability,responseTime_p95&aggregationInterval=60`,
    '/v1/error-groups?limit=100',
    '/v1/missed-runs?limit=100',
    '/v1/check-alerts?limit=100',
  ]
  return paths[n % paths.length] ?? ''
}

type Asker = { origin: string; keys: readonly string[]; checkIds: readonly string[]; signal: AbortSignal }

/** `times` gets how long each took, in milliseconds. */
export const askAround = async (
  { origin, keys, checkIds, signal }: Asker,
  times: number[],
): Promise<void> => {
  for (let n = 0; !signal.aborted; n++) {
    const path = pathsOf(checkIds, n)
    const startedAt = performance.now()
    const headers = { authorization: `Bearer ${keys[n % keys.length]}` }
    const answer = await fetch(`${origin}${path}`, { headers })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    times.push(performance.now() - startedAt)
    await sleep(everyMs)
  }
}
