/**
 * The program of the probe: a child in isolation that tries what they are there to prevent, with nothing but Node, and
 * tells on descriptor 3 how each attempt ended. Its arguments: a file that everybody may read, and a port that listens.
 */
import dgram from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import net from 'node:net'

/** The code of the error that each attempt met, or null: it worked. */
export type Attempts = {
  readFile: string | null
  connect: string | null
  signalAgent: string | null
  datagrams: string | null
  lookAtAgent: string | null
  /** Of more than the probe's volume holds, into the own folder. */
  fill: string | null
  uid: number
}

const { process } = globalThis
const [, , file = '', port = ''] = process.argv

const outcome = async (attempt: () => unknown): Promise<string | null> => {
  try {
    await attempt()
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}

const attempts: Attempts = {
  readFile: await outcome(() => readFileSync(file)),
  connect: await outcome(() => once(net.connect(Number(port), '127.0.0.1'), 'connect')),
  signalAgent: await outcome(() => process.kill(process.ppid, 0)),
  datagrams: await outcome(() => once(dgram.createSocket('udp4').bind(0, '127.0.0.1'), 'listening')),
  lookAtAgent: await outcome(() => readFileSync(`/proc/${process.ppid}/cmdline`)),
  fill: await outcome(() => writeFileSync(`${process.env['HOME']}/fill`, Buffer.alloc(2 * 1024 * 1024))),
  uid: process.getuid?.() ?? 0,
}
writeSync(3, `${JSON.stringify({ type: 'attempts', attempts })}\n`)
process.exit(0)
