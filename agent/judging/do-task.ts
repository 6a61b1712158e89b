import { judge } from '../assertions/evaluate.ts'
import { createReadings } from '../assertions/readings.ts'
import { scrubReport } from '../scrub/scrub-report.ts'
import { decode } from './decode.ts'
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
