// Runs on both engines in test:all: files of late results are announced in the transaction that takes them.
/** Files of runs that agents made by themselves: screenshots, traces, captures. */

import { artifactPathOf } from '../../../protocol/artifact.ts'
import { eachEngine } from '../../support/app.ts'
import { announced, uploadArtifact } from '../../support/artifacts.ts'
import { bring, duesBetween, lateOf, passOutage, watchedCheck } from '../../support/outage.ts'

eachEngine(
  'files of a late run come after its result; what had to go is said, with the reason',
  async (t, plane) => {
    const checkId = await watchedCheck(plane)
    const agents = ['agent-1', 'agent-2']
    const span = await passOutage(plane, { minutes: 5, agents })
    const [due = 0] = await duesBetween(plane, checkId, span)
    const bytes = Buffer.from('what the first agent captured')
    const refused = 'the spool of the agent was full before the control plane was back (SPOOL_MAX_MB)'
    const artifacts = [
      announced('run.pcap', bytes),
      announced('more.pcap', Buffer.alloc(0), { sha256: null, refused, size: 7 }),
    ]
    const report = lateOf(plane, checkId, due, { artifacts })
    const { jobId: resultId } = report
    t.strictSame(await bring(plane, [report]), ['accepted'])
    // A second owner has made the same run, and has other bytes by the same name.
    const other = Buffer.from('what the second one captured')
    const second = lateOf(plane, checkId, due, { artifacts: [announced('run.pcap', other)] })
    t.strictSame(await bring(plane, [second], { agentId: 'agent-2' }), ['duplicate'])
    const state = await plane.call('GET', artifactPathOf(resultId, 'run.pcap'), { key: plane.agentKey })
    t.match(
      state.body,
      { offset: 0, complete: false, sha256: artifacts[0]?.sha256 },
      'whose file is waited for',
    )
    t.match((await uploadArtifact(plane, { resultId, name: 'run.pcap', bytes })).body, { complete: true })
    const { body } = await plane.call('GET', `/v1/check-results/${checkId}/${resultId}/assets`)
    t.match(body.refused, [{ name: 'more.pcap', reason: refused }])
    t.match(JSON.stringify(body), /run\.pcap/)
  },
)
