/** What came of a run, for the tools of others: JUnit's XML and Markdown. */
import type { Ended } from './watch-sessions.ts'

export const junitOf = (ended: readonly Ended[], ms: number): string => {
  const failures = ended.filter(({ isPassed }) => !isPassed).length
  const counts = `tests="${ended.length}" failures="${failures}" errors="0" skipped="0" time="${seconds(ms)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Watchpost" ${counts}>`,
    `  <testsuite name="Watchpost" ${counts}>`,
    ...ended.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const testCase = ({ name, checkType, timeElapsed, isPassed, reasons, link }: Ended): string[] => [
  `    <testcase classname="${xml(checkType)}" name="${xml(name)}" time="${seconds(timeElapsed)}">`,
  ...(isPassed
    ? []
    : [`      <failure message="${xml(reasons[0] ?? '')}">${xml(reasons.join('\n'))}</failure>`]),
  `      <system-out>${xml(link)}</system-out>`,
  '    </testcase>',
]

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** XML 1.0 has no way to say control characters, and half a pair of surrogates is no character. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`)

export const markdownOf = (ended: readonly Ended[], ms: number): string => {
  const failed = ended.filter(({ isPassed }) => !isPassed)
  const time = `in ${(ms / 1000).toFixed(1)} s`
  const head =
    failed.length === 0
      ? `**All ${ended.length} checks passed** ${time}.`
      : `**${failed.length} of ${ended.length} checks failed** ${time}.`
  const rows = [...failed, ...ended.filter(({ isPassed }) => isPassed)].map(rowOf)
  return [
    '## Checks',
    '',
    head,
    '',
    '| | Check | Type | Time | Why |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

const rowOf = ({ isPassed, status, name, checkType, timeElapsed, reasons, link }: Ended): string => {
  const mark = status === 'DEGRADED' ? '⚠️' : '✅'
  const time = `${(timeElapsed / 1000).toFixed(1)} s`
  return `| ${isPassed ? mark : '❌'} | [${cell(name)}](${link}) | ${checkType} | ${time} | ${cell(reasons.join('; '))} |`
}

const cell = (text: string): string => text.replace(/[\\`*_[\]<>|]/g, '\\$&').replace(/\s+/g, ' ')
