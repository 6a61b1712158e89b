type HttpDetail = {
  request?: { url?: string }
  response?: {
    href?: string
    status?: number
    statusText?: string
    certificate?: { daysRemaining?: number } | null
  } | null
}

/** What alerting and statuses go by in the detail of an HTTP result; nulls for what was not seen. */
export type HttpFacts = {
  status: { code: number; text: string } | null
  /** Days left of the certificate that the run saw. */
  certificateDays: number | null
  /** Where the answer came from, else where it was asked. */
  url: string | null
}

/** `detail`: the type's own part of a result; all facts are null where it is not of an HTTP answer. */
export const httpFactsOf = (detail: unknown): HttpFacts => {
  const { request, response = null } = (detail as HttpDetail | null) ?? {}
  const code = response?.status
  return {
    status: typeof code === 'number' ? { code, text: response?.statusText ?? '' } : null,
    certificateDays: response?.certificate?.daysRemaining ?? null,
    url: response?.href ?? request?.url ?? null,
  }
}
