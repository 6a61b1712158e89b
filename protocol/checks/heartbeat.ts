import { type CheckProtocol, runLimits } from './check-protocol.ts'

/** Others ping us: nothing of it is ever due, and its results are pings that came or stayed away. */
export const heartbeatProtocol: CheckProtocol = {
  queue: 'uptime',
  runLimitMs: runLimits.uptime,
  spec: null,
  detail: null,
  resultProperty: null,
  metrics: [],
  summary: [],
}
