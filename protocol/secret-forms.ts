/**
 * The ways in which a secret comes back in what others say: as it is, as JSON, addresses and HTML write it, as hex, and
 * inside base64. Pure.
 */
import { escapeHtml } from './escape-html.ts'

/** Shorter forms would take ordinary words out. */
export const shortestSecret = 4

/** Every form, most of them once: a secret of letters and digits is written the same everywhere. */
export const secretForms = (value: string): string[] => [
  ...new Set([
    ...writtenForms(value),
    escapeHtml(value),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ...hexForms(value).flatMap((form) => [form, form.toUpperCase()]),
    btoa(latin1Of(new TextEncoder().encode(value))),
    ...base64Forms(value).flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
  ]),
]

/** As it is, and as JSON and addresses write it: what programs then encode as a whole. */
const writtenForms = (value: string): string[] => [
  ...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())]),
]

const bytesOf = (value: string): Uint8Array[] =>
  writtenForms(value).map((written) => new TextEncoder().encode(written))

/** In lower case. */
export const hexForms = (value: string): string[] => bytesOf(value).map(toHex)

/** In the alphabet of RFC 4648 section 4, at all three alignments. */
export const base64Forms = (value: string): string[] =>
  bytesOf(value)
    .flatMap((bytes) => [0, 1, 2].map((shift) => base64Inside(bytes, shift)))
    .filter((form) => form.length >= shortestSecret)

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** What is the same in the base64 of every text that has the bytes after `shift` (modulo 3) other ones. */
const base64Inside = (bytes: Uint8Array, shift: number): string => {
  const padded = String.fromCharCode(...new Uint8Array(shift)) + latin1Of(bytes)
  return btoa(padded).slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
}

/** A character a byte. */
export const latin1Of = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
