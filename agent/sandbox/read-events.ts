import type { Readable } from 'node:stream'
import { compile } from '../../protocol/validate.ts'
import { readLines } from './read-lines.ts'
import { maxAnswerBytes, maxLogBytes, ScriptEvent } from './task.ts'

const validate = compile(ScriptEvent)

/** All that a child may say, with room for the names around it. */
const maxBytes = maxAnswerBytes + 2 * maxLogBytes

/** Reads the events of a script of an API check. */
export const readEvents = (
  stream: Readable,
  { onEvent, onNonsense }: { onEvent(event: ScriptEvent): void; onNonsense(): void },
): void => readLines(stream, validate, { maxBytes, onEvent, onNonsense })
