/** What alerts tell of and others know: the questions, which `control-plane/lookups.ts` answers. */
import type { ClearVariable } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'

/** An error of a check that an alert tells of. */
export type AlertedError = {
  accountId: string
  checkId: string
  checkResultId: string | null
  errorMessage: string | null
  at: number
  /** 0: not known. */
  failingSince: number
}

export type HasGroupVariables = {
  lookups: {
    variablesOfGroup(
      app: App & HasCipher,
      group: { accountId: string; groupId: number },
    ): Promise<ClearVariable[]>
  }
}

/** `AI_ANALYSIS_…` of templates, of which messages show the cause; nothing where it is not known. */
export type HasAnalyses = {
  lookups: { analysisOf(app: App & HasCipher, error: AlertedError): Promise<Record<string, string>> }
}
