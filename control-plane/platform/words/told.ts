/**
 * A sentence of ours and what was put into it, kept apart: in English for programs, and for each reader in their own language, also where it was
 * stored long before. Pure.
 */
import { type TSchema, Type } from 'typebox'
import { instantInWords } from './dates.ts'

/** Each reader is told it as their pages and mails say instants. */
type Instant = { at: number }

export type Told = { text: string; values: (string | Instant | Told)[] }

const holding = <S extends TSchema>(value: S) =>
  Type.Object({ text: Type.String(), values: Type.Array(value) }, { additionalProperties: false })

const Value = Type.Union([Type.String(), Type.Object({ at: Type.Number() }, { additionalProperties: false })])
/** Part of a sentence may be a sentence of ours, and part of that one more. */
const Part = Type.Union([Value, holding(Value)])
export const StoredTold = holding(Type.Union([Value, holding(Part)]))

/** Lines of the source are no lines of the sentence. */
export const tell = (
  strings: TemplateStringsArray,
  ...values: (string | number | null | undefined | Instant | Told)[]
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
    if (typeof value === 'string') return value
    return 'at' in value ? instantInWords(value.at) : inEnglish(value)
  })

export const allInEnglish = (sentences: readonly Told[]): string => sentences.map(inEnglish).join(' ')
