/** Runs the traceroute checks that it is given inside the network of trace-lab.ts and prints what became of them. */
import { runJob } from '../../agent/jobs/run-job.ts'
import type { TracerouteSpec } from '../../protocol/checks/traceroute.ts'
import { agentIo } from './agent-io.ts'
import { urlJob } from './fake-control-plane.ts'

const { specs, blocked } = JSON.parse(process.argv[2] ?? '') as {
  specs: TracerouteSpec[]
  blocked: string[]
}
const io = agentIo({ blockedNetworks: blocked })
const outcomes = []
for (const spec of specs) {
  const job = urlJob('', { checkType: 'TRACEROUTE', spec, deadlineMs: 40_000 })
  outcomes.push((await runJob(job, io, new AbortController())).outcome)
}
process.stdout.write(JSON.stringify(outcomes))
