/**
 * A sentence of ours and what was put into it, kept apart: in English for programs, and for each reader in their own language, also where it was
 * stored long before. Pure.
 */
import { type TSchema, Type } from 'typebox'

export type Told = { text: string; values: (string | Told)[] }

const holding = <S extends TSchema>(value: S) =>
  Type.Object({ text: Type.String(), values: Type.Array(value) }, { additionalProperties: false })

/** Part of a sentence may be a sentence of ours, and part of that one more. */
const Part = Type.Union([Type.String(), holding(Type.String())])
export const StoredTold = holding(Type.Union([Type.String(), holding(Part)]))

/** Lines of the source are no lines of the sentence. */
export const tell = (
  strings: TemplateStringsArray,
  ...values: (string | number | null | undefined | Told)[]
): Told => ({
  text: strings
    .map((part, at) => (at === 0 ? part : `{${at - 1}}${part}`))
    .join('')
    .replace(/\s+/g, ' '),
  values: values.map((value) => (typeof value === 'object' && value !== null ? value : String(value))),
})

export const inEnglish = ({ text, values }: Told): string =>
  text.replace(/\{(\d+)\}/g, (_, at: string) => {
    const value = values[Number(at)] ?? ''
    return typeof value === 'string' ? value : inEnglish(value)
  })

export const allInEnglish = (sentences: readonly Told[]): string => sentences.map(inEnglish).join(' ')
