/**
 * The program of a process that judges: tasks come on standard input, one after the other, and answers go out as lines of
 * JSON. It ends when nobody wants more of it: the agent is gone, or nothing has come for a while. It knows nothing of time or
 * memory that a task may take: whoever started it ends it.
 */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { niceness } from '../base/low-priority.ts'
import { doTask } from './do-task.ts'
import { createFrameReader } from './frame.ts'
import { idleMs } from './limits.ts'
import type { JudgingAnswer } from './task.ts'

const say = (answer: JudgingAnswer): void => {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

/** Where memory is short, the kernel ends this process and not the agent (proc_pid_oom_score_adj(5)). */
const offerToEndFirst = (): void => {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // There is no such thing here.
  }
}

setPriority(niceness)
offerToEndFirst()
const end = (): void => process.exit(0)
let idle = setTimeout(end, idleMs)
const read = createFrameReader((task) => {
  doTask(task, say)
  say({ kind: 'ready' })
  idle = setTimeout(end, idleMs)
})
process.stdin.on('data', (bytes: Buffer) => {
  clearTimeout(idle)
  read(bytes)
})
process.stdin.on('end', end)
process.stdout.on('error', end)
say({ kind: 'ready' })
