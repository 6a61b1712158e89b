import type http from 'node:http'
import type { Test } from 'tap'
import { httpServer } from './servers.ts'

/** A site whose answers a test keeps back: the runs that wait for them are under way for as long as it likes. */
export const holdingTarget = async (t: Test) => {
  const waiting: http.ServerResponse[] = []
  let holds = false
  const { origin } = await httpServer(t, (_request, response) => {
    if (holds) waiting.push(response)
    else response.end('ok')
  })
  return {
    origin,
    hold: () => {
      holds = true
    },
    waiting: () => waiting.length,
    release: () => {
      holds = false
      for (const response of waiting.splice(0)) response.end('ok')
    },
  }
}
