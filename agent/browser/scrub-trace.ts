/** Takes secrets, and what identifies somebody whether it is a secret or not, out of an entry of a trace or a HAR file. Pure. */
import { hidden, sensitiveHeaders } from '../scrub/scrub.ts'
import { createByteScrubber } from '../scrub/scrub-bytes.ts'
import type { ZipEntry } from './zip.ts'

/** Their lines are JSON: events, requests with their headers, stacks. */
const isLines = (name: string): boolean => /\.(trace|network|stacks)$/.test(name)
const isHar = (name: string): boolean => name.endsWith('.har')
const isText = (name: string): boolean =>
  isLines(name) || isHar(name) || /\.(html?|js|mjs|ts|css|json|txt|md|svg|xml)$/.test(name)

export const scrubEntry = ({ name, bytes }: ZipEntry, secrets: readonly string[]): ZipEntry => {
  const masked = isLines(name)
    ? Buffer.from(withoutCredentials(bytes.toString()))
    : isHar(name)
      ? Buffer.from(maskLine(bytes.toString()))
      : bytes
  const scrubber = createByteScrubber(secrets, !isText(name))
  return { name, bytes: Buffer.concat([scrubber.push(masked), scrubber.end()]) }
}

const withoutCredentials = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? line : maskLine(line)))
    .join('\n')

const maskLine = (line: string): string => {
  try {
    return JSON.stringify(masked(JSON.parse(line), ''))
  } catch {
    // Cut off in the middle: it goes, because nobody can tell what it shows.
    return '{}'
  }
}

const masked = (value: unknown, under: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => masked(item, under))
  if (typeof value !== 'object' || value === null) return value
  const { name } = value as { name?: unknown }
  const isHidden = (key: string): boolean =>
    sensitiveHeaders.has(key.toLowerCase()) ||
    (key === 'value' &&
      (under === 'cookies' || (typeof name === 'string' && sensitiveHeaders.has(name.toLowerCase())))) ||
    (key === 'password' && under === 'httpCredentials')
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && isHidden(key) ? hidden : masked(item, key),
    ]),
  )
}
