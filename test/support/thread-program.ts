/** A thread that does what it is told: an answer, endless work, memory without end, an end of its own. */
import { parentPort } from 'node:worker_threads'

const hoarded: string[] = []

const acts: Record<string, (text: string) => unknown> = {
  answer: (text) => text,
  spin: () => {
    for (let count = 0; ; count++) if (count < 0) return count
  },
  hoard: () => {
    for (;;) hoarded.push(Buffer.from('x'.repeat(100_000) + hoarded.length).toString())
  },
  throw: (text) => {
    throw new Error(text)
  },
  environment: () => Object.keys(process.env).length,
}

parentPort?.on('message', ({ act, text }: { act: string; text: string }) =>
  parentPort?.postMessage(acts[act]?.(text)),
)
parentPort?.postMessage('ready')
