import { fileText, textOf, type VariableSource } from '../base/read-variables.ts'
import type { Variable } from './agent-variables.ts'

/** The same variables, with what `X_FILE` names as the value of a secret `X`. Problems name files and never show what is in them. */
export const withSecretFiles = (source: VariableSource, known: readonly Variable[]): VariableSource => {
  const values = known.flatMap(({ name, secret }): [string, string][] => {
    const variable = `${name}_FILE`
    const unread = source.problems.length
    const value = secret ? fileText(source, variable)?.trim() : undefined
    if (value === undefined) return []
    if (textOf(source, name) !== null) source.problems.push(`${name} and ${variable} are both set; use one`)
    else if (value === '' && source.problems.length === unread)
      source.problems.push(`${variable} names a file that is empty: write the value into it`)
    return [[name, value]]
  })
  return { ...source, env: { ...source.env, ...Object.fromEntries(values) } }
}
