/**
 * How fast the machine is just now: `node machine-speed-program.ts <looks>` prints `rounds per CPU-second <number>`. A
 * round is a fixed piece of what the programs do all day: small objects made and dropped, JSON written and parsed, SHA-256
 * of 2 KB, and those 2 KB written to a file and read from it in small pieces. All CPU time of the process counts, system
 * calls and collection of garbage included. A machine changes within a second: each look is 50 ms of CPU, half a second
 * after the one before.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'

// Code that V8 optimises meanwhile goes twice as fast after a second or two: the speed would be that of its decisions.
for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag)

const warmUpSeconds = 0.25
const secondsOfLook = 0.05
const pauseMs = 450
const looks = Number(process.argv[2])
/** Between two looks at the clock, which cost as much as a system call. */
const roundsAtOnce = 20
const pieceBytes = 256

/** Without a name, so that nothing is left of it however this ends. Its bytes stay in the kernel's cache. */
const openFile = (): number => {
  const folder = mkdtempSync(join(tmpdir(), 'machine-speed-'))
  const file = openSync(join(folder, 'bytes'), 'w+')
  rmSync(folder, { recursive: true })
  return file
}

const assertions = (round: number) =>
  Array.from({ length: 12 }, (_, index) => ({
    source: 'JSON_BODY',
    property: `$.items[${index}].name`,
    comparison: 'EQUALS',
    target: `value ${round + index}`,
    actual: `value ${round}`,
    passed: index === 0,
  }))

const result = (round: number) => ({
  id: `result-${round}`,
  status: 'passing',
  phases: { dns: round % 7, connect: round % 11, tls: round % 13, firstByte: round % 17 },
  assertions: assertions(round),
})

const throughFile = (file: number, bytes: Buffer): Buffer => {
  const received = Buffer.alloc(bytes.length)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const length = writeSync(file, bytes, at, Math.min(pieceBytes, bytes.length - at), at)
    readSync(file, received, at, length, at)
  }
  return received
}

const digestOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

const goRound = (file: number, round: number): void => {
  const text = JSON.stringify(result(round))
  const received = throughFile(file, Buffer.from(text))
  const read: ReturnType<typeof result> = JSON.parse(received.toString())
  if (read.id !== `result-${round}` || digestOf(text) !== digestOf(received))
    throw new Error(`the file gave back ${received}`)
}

const cpuSecondsSoFar = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

type Work = { rounds: number; seconds: number }

const workFor = (file: number, atLeast: number): Work => {
  const began = cpuSecondsSoFar()
  let rounds = 0
  let seconds = 0
  while (seconds < atLeast) {
    for (let index = 0; index < roundsAtOnce; index += 1) goRound(file, rounds + index)
    rounds += roundsAtOnce
    seconds = cpuSecondsSoFar() - began
  }
  return { rounds, seconds }
}

const file = openFile()
workFor(file, warmUpSeconds)
const done: Work = { rounds: 0, seconds: 0 }
for (let look = 0; look < looks; look += 1) {
  await pause(pauseMs)
  const { rounds, seconds } = workFor(file, secondsOfLook)
  done.rounds += rounds
  done.seconds += seconds
}
process.stdout.write(`rounds per CPU-second ${Math.round(done.rounds / done.seconds)}\n`)
