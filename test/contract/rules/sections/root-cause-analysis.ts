import type { Sections } from '../rule.ts'

export const rootCauseAnalysis: Sections = {
  'Root cause analysis': [
    'every field of the table is in a completed one, with its type',
    'status: PENDING on creation, COMPLETED on retrieval',
    'analysis: classification, userImpact, rootCause and codeFix are text',
    'analysis.evidence[]: description and artifacts with name and type',
    'analysis.referenceLinks[]: url and title',
  ],
  'GET /v1/root-cause-analyses/{id}': ['id: text; the answer is the record'],
  'POST /v1/root-cause-analyses/error-groups/{errorGroupId}': [
    'userContext: text or null, default empty, at most 256 characters',
    'Accepted: `id` and status PENDING',
  ],
  'States and transitions': [
    'a root cause analysis of an error group that is accepted is PENDING, and the answer carries its id',
    'a root cause analysis is PENDING or COMPLETED',
    'the `activated` flag decides whether a check runs, and is set by writing it',
  ],
}
