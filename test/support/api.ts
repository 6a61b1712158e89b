/** The HTTP API as a client of a running control plane uses it. */
import { apiKey } from './programs.ts'

export type ApiAnswer<T> = { status: number; body: T }

/** Rejects only when there is no answer. */
export const callApi = async <T>(
  url: string,
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown } = {},
): Promise<ApiAnswer<T>> => {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as T }
}

/** Every ten seconds, in the private location `local`. */
export const urlMonitor = (name: string, url: string) => ({
  name,
  request: { url, assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] },
  privateLocations: ['local'],
  locations: [],
  frequency: 0,
  frequencyOffset: 10,
})
