import type { Test } from 'tap'
import { runUrl } from '../../agent/checks/url.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { UrlSpec } from '../../protocol/checks/url.ts'
import { agentIo } from './agent-io.ts'
import { urlSpec } from './fake-control-plane.ts'
import { fitsProtocol } from './fits-protocol.ts'
import { runContext } from './run-context.ts'

const fits = fitsProtocol(HttpCheckResult)
const never = new AbortController().signal

type Change = Partial<UrlSpec['request']> & { shouldFail?: boolean }

/** Runs the check, holds the answer to the wire's schemas, and gives its detail a type. */
export const runUrlCheck = async (
  t: Test,
  url: string,
  {
    change = {},
    io = agentIo(),
    signal = never,
  }: { change?: Change; io?: RealIo; signal?: AbortSignal } = {},
) => {
  const { shouldFail = false, ...request } = change
  const spec = urlSpec(url, request, shouldFail) as UrlSpec
  return fits(t, await runUrl(spec, io, runContext(io, signal)))
}
