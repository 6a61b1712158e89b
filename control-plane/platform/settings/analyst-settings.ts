/** The OpenAI-compatible endpoint that analyses errors. Part of config.ts. */
export type AnalystSettings = { baseUrl: string; apiKey: string | null; model: string }

type Analyst = { baseUrl: string | null; apiKey: string | null; model: string | null }

export const readAnalyst = (
  { baseUrl, apiKey, model }: Analyst,
  problems: string[],
): AnalystSettings | null => {
  if (baseUrl === null) {
    if (apiKey !== null || model !== null) problems.push('RCA_API_KEY and RCA_MODEL need RCA_BASE_URL')
    return null
  }
  if (model === null) problems.push('RCA_MODEL is required with RCA_BASE_URL')
  return Object.freeze({ baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, model: model ?? '' })
}
