/** A thread of its own: to look through a trace takes seconds, and other checks go on meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { scrubEntry } from './scrub-trace.ts'
import { readZip, writeZip } from './zip.ts'

const maxBytes = 500 * 1024 * 1024

const { path, name, secrets } = workerData as { path: string; name: string; secrets: string[] }
const bytes = readFileSync(path)
writeFileSync(
  path,
  name.endsWith('.har')
    ? scrubEntry({ name, bytes }, secrets).bytes
    : writeZip(readZip(bytes, maxBytes).map((entry) => scrubEntry(entry, secrets))),
)
parentPort?.postMessage('clean')
