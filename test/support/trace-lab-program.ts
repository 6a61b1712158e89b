/** Runs the URL checks that it is given inside the network of trace-lab.ts and prints what they leave behind. */

import { DeadlinePassed } from '../../agent/base/deadline.ts'
import { runUrl } from '../../agent/checks/url.ts'
import type { UrlSpec } from '../../protocol/checks/url.ts'
import { agentIo, recordingLog } from './agent-io.ts'
import { capturing } from './capturing.ts'
import { urlSpec } from './fake-control-plane.ts'
import { runContext } from './run-context.ts'
import type { LabCheck, LabFile, LabResult } from './trace-lab.ts'

const { checks, capture } = JSON.parse(process.argv[2] ?? '') as { checks: LabCheck[]; capture: boolean }
const { log, lines } = recordingLog()
const io = agentIo({ capture, log })
if (capture) await capturing(io)

const run = async ({ url, deadlineMs, ipFamily = 'IPv4' }: LabCheck): Promise<LabResult> => {
  const spec = urlSpec(url, { ipFamily }, false) as UrlSpec
  const controller = new AbortController()
  const context = runContext(io, controller.signal)
  const { runLog } = context
  const cancel = io.clock.at(deadlineMs, () => controller.abort(new DeadlinePassed(deadlineMs)))
  const started = io.clock.monotonic()
  const { failure } = await runUrl(spec, io, context)
  cancel()
  const files = runLog.artifacts().map(({ name, type, content }): LabFile => {
    if (!Buffer.isBuffer(content)) throw new Error(`${name} is not in memory`)
    return { name, type, base64: content.toString('base64') }
  })
  const tookMs = io.clock.monotonic() - started
  return { failure, log: runLog.lines().map(({ msg }) => msg), files, tookMs, agentLog: [...lines] }
}

const results: LabResult[] = []
for (const check of checks) results.push(await run(check))
await io.capture.stop()
process.stdout.write(JSON.stringify(results))
