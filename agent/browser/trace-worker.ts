/** A thread of its own: to look through a trace takes seconds, and other checks go on meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { maxArtifactBytes } from '../../protocol/artifact.ts'
import { cleanArchive } from './clean-archive.ts'
import { scrubEntry } from './scrub-trace.ts'

const room = { packed: maxArtifactBytes, bytes: 500 * 1024 * 1024 }

const { path, name, secrets } = workerData as { path: string; name: string; secrets: string[] }
const bytes = readFileSync(path)
const { zip, dropped } = name.endsWith('.har')
  ? { zip: scrubEntry({ name, bytes }, secrets).bytes, dropped: [] }
  : cleanArchive(bytes, secrets, room)
writeFileSync(path, zip)
parentPort?.postMessage(dropped)
