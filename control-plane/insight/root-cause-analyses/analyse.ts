import type { App } from '../../platform/app/app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { AnalysisDoc } from './analysis-doc.ts'
import type { HasAnalyst } from './analyst-settings.ts'
import { askEndpoint } from './ask-endpoint.ts'
import { analyseByRules, builtinModel, builtinProvider } from './builtin.ts'
import type { Facts } from './facts.ts'

/** By the configured endpoint, or by the built-in rules where there is none or it gives no usable answer. */
export const analyse = async (
  app: App & HasAnalyst & HasOutgoing,
  facts: Facts,
): Promise<Omit<AnalysisDoc, 'resultId'>> => {
  const startedAt = app.clock.monotonic()
  const durationMs = (): number => Math.max(0, Math.round(app.clock.monotonic() - startedAt))
  const endpoint = app.config.analyst
  let fallbackReason: string | null = null
  if (endpoint !== null) {
    try {
      const analysis = await askEndpoint(app, endpoint, facts)
      const provider = new URL(endpoint.baseUrl).host
      return {
        analysis,
        told: null,
        provider,
        model: endpoint.model,
        durationMs: durationMs(),
        fallbackReason,
      }
    } catch (error) {
      fallbackReason = `The configured endpoint was not used: ${(error as Error).message}`.slice(0, 1000)
      app.log.warn({ err: error }, 'The analysis endpoint gave no usable answer; the built-in rules answer')
    }
  }
  return {
    ...analyseByRules(facts),
    provider: builtinProvider,
    model: builtinModel,
    durationMs: durationMs(),
    fallbackReason,
  }
}
