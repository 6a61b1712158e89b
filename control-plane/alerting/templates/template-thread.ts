/** The program of a thread that fills in templates: a task in, its texts out. It says once that it is ready. */
import { platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type FillTask, fill } from './fill.ts'

// Of this thread alone, which is what Linux does: where processors are few, the event loop goes first.
if (platform() === 'linux') setPriority(5)

parentPort?.on('message', (task: FillTask) => parentPort?.postMessage(fill(task)))
parentPort?.postMessage('ready')
