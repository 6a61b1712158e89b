/** Artifacts as agents announce and upload them over their API. */
import { hash } from 'node:crypto'
import { type ArtifactNote, artifactPathOf, partContentType } from '../../protocol/artifact.ts'
import type { Answer, TestApp } from './app.ts'
import { claimRequest, passingReport } from './engine-room.ts'

export const announced = (
  name: string,
  bytes: Uint8Array,
  more: Partial<ArtifactNote> = {},
): ArtifactNote => ({
  type: 'pcap',
  name,
  contentType: 'application/vnd.tcpdump.pcap',
  size: bytes.length,
  sha256: hash('sha256', bytes, 'hex'),
  ...more,
})

type Part = { resultId: string; name: string; bytes: Uint8Array; offset?: number; key?: string }

/** One request with these bytes at the offset, as an agent of the test's location unless told otherwise. */
export const uploadArtifact = (
  plane: TestApp,
  { resultId, name, bytes, offset = 0, key = plane.agentKey }: Part,
): Promise<Answer> =>
  plane.call('PATCH', artifactPathOf(resultId, name), {
    key,
    raw: new Uint8Array(bytes),
    headers: { 'content-type': partContentType, 'upload-offset': String(offset) },
  })

/** A check whose run has been reported with these artifacts; a function makes them for the job, as agents do. */
export const reported = async (
  plane: TestApp,
  artifacts: ArtifactNote[] | ((jobId: string) => Promise<ArtifactNote[]>),
) => {
  const body = {
    name: 'site',
    request: { url: 'http://127.0.0.1/' },
    privateLocations: ['local'],
    locations: [],
    doubleCheck: false,
  }
  const checkId: string = (await plane.call('POST', '/v1/checks/url', { body })).body.id
  const post = (verb: string, more: object) =>
    plane.call('POST', `/agent/v1/${verb}`, { key: plane.agentKey, body: more })
  const [job] = (await post('claim', claimRequest())).body.jobs
  const notes = typeof artifacts === 'function' ? await artifacts(job.id) : artifacts
  const report = { ...passingReport(job, plane.app.clock.now()), artifacts: notes }
  const answer = await post('report', { agentId: 'agent-1', reports: [report] })
  if (answer.body.outcomes?.[0].outcome !== 'accepted') throw new Error(answer.text)
  return { checkId, resultId: job.id as string, assets: `/v1/check-results/${checkId}/${job.id}/assets` }
}
