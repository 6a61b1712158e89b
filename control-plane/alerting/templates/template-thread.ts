/** The program of a thread that fills in templates: a task in, its texts out. It says once that it is ready. */
import { parentPort } from 'node:worker_threads'
import { type FillTask, fill } from './fill.ts'

parentPort?.on('message', (task: FillTask) => parentPort?.postMessage(fill(task)))
parentPort?.postMessage('ready')
