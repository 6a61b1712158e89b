/** What alerts tell of and others know: the questions, which `control-plane/lookups.ts` answers. */
import type { ClearVariable } from '../../access/variables/sealed-value.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import type { Told } from '../../platform/words/told.ts'

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

/** Why a check fails: what templates name, for programs, and the sentences that messages say to people. */
export type AlertAnalysis = {
  /** `AI_ANALYSIS_…`; nothing where it is not known. */
  readonly fields: Readonly<Record<string, string>>
  /** Of our rules; null: others wrote it, in a language of theirs, or nobody knows. */
  readonly told: { readonly rootCause: readonly Told[]; readonly codeFix: Told } | null
}

export type HasAnalyses = {
  lookups: { analysisOf(app: App & HasCipher, error: AlertedError): Promise<AlertAnalysis> }
}
