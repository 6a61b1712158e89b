/** A thread of its own: to look through a trace takes seconds, and other checks go on meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { cleanArchive } from './clean-archive.ts'
import { scrubEntry } from './scrub-trace.ts'

export type CleaningTask = { path: string; name: string; secrets: readonly string[]; maxBytes: number }

const { path, name, secrets, maxBytes } = workerData as CleaningTask
const room = { packed: maxBytes, bytes: 500 * 1024 * 1024 }
const bytes = readFileSync(path)
const { zip, dropped } = name.endsWith('.har')
  ? { zip: scrubEntry({ name, bytes }, secrets).bytes, dropped: [] }
  : cleanArchive(bytes, secrets, room)
writeFileSync(path, zip)
parentPort?.postMessage(dropped)
