import { existsSync, symlinkSync } from 'node:fs'
import t from 'tap'
import { createRing } from '../../../../../agent/net/evidence/capture/ring.ts'
import { agentIo, recordingLog } from '../../../../support/agent-io.ts'
import { temporaryFolder } from '../../../../support/test-agent.ts'
import { until } from '../../../../support/until.ts'

t.test('without tcpdump the agent says so in one line and goes on', async (t) => {
  const path = temporaryFolder(t)
  for (const program of ['nice', 'rm']) {
    const found = ['/usr/bin', '/bin'].map((folder) => `${folder}/${program}`).find(existsSync)
    symlinkSync(found as string, `${path}/${program}`)
  }
  const { log, lines } = recordingLog()
  const ring = createRing({ ...agentIo(), dnsPorts: new Set([53]), log, path })
  t.equal(ring.problem(), null)
  ring.start()
  await until('its line', () => lines.length > 0, 10)
  t.same(lines, ['failing checks carry no packet capture: tcpdump is not installed'])
  t.equal(ring.problem(), 'tcpdump is not installed')
  t.equal(ring.runsSince(), null)
  await ring.stop()
  t.equal(lines.length, 1)
})
