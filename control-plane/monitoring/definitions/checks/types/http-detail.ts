/** How what a URL monitor or an API check saw is read. */
import type { HttpCheckResult } from '../../../../../protocol/checks/http-result.ts'
import type { AnswerFacts, DetailReader } from './detail-reader.ts'
import { httpFacts } from './http-facts.ts'
import { httpSections } from './http-sections.ts'

export const httpDetail: DetailReader<HttpCheckResult> = {
  sections: httpSections,
  answer: ({ request, response }): AnswerFacts => {
    // Results may be older than a field.
    const { status: code, statusText: text = '', certificate } = response ?? {}
    return {
      status: code === undefined ? null : { code, text },
      certificate:
        certificate?.daysRemaining === undefined
          ? null
          : {
              host: URL.parse(response?.href ?? request?.url ?? '')?.hostname ?? null,
              daysRemaining: certificate.daysRemaining,
            },
    }
  },
  http: httpFacts,
  withFiles: (detail, files) => ({
    ...detail,
    jobAssets: files.map(({ url }) => url),
    pcapDataUrl: files.find(({ type }) => type === 'pcap')?.url ?? null,
  }),
}
