/** A thread of its own: to look through a trace takes seconds, and other checks go on meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { scrubEntry } from './scrub-trace.ts'
import { readZip, writeZip } from './zip.ts'

const maxBytes = 500 * 1024 * 1024

const { path, secrets } = workerData as { path: string; secrets: string[] }
const entries = readZip(readFileSync(path), maxBytes)
writeFileSync(path, writeZip(entries.map((entry) => scrubEntry(entry, secrets))))
parentPort?.postMessage('clean')
