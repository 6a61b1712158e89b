import { judge } from '../assertions/evaluate.ts'
import type { Body } from '../assertions/material.ts'
import { createReadings } from '../assertions/readings.ts'
import { bodyText } from '../net/http/body-text.ts'
import { scrubReport } from '../scrub/scrub-report.ts'
import type { JudgingAnswer, JudgingTask } from './task.ts'

/** Does it, and says what it knows as soon as it knows it: it may be ended at any time. */
export const doTask = (task: JudgingTask, say: (answer: JudgingAnswer) => void): void => {
  if (task.kind === 'scrub') {
    say({ kind: 'report', report: scrubReport(task.secrets, task.report) })
    return
  }
  const readings = createReadings({ decode })
  for (const [index, item] of task.items.entries())
    say({ kind: 'outcome', index, outcome: judge(item, readings) })
}

/** The text of a body. */
export const decode = ({ bytes, type, isUtf8, cut }: Body): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return type === null
    ? buffer.toString('utf8')
    : bodyText({ bytes: buffer, contentType: isUtf8 ? '' : type, cut })
}
