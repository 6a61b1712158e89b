import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { backOffMs } from '../../../base/back-off.ts'
import { isRoot } from '../../../base/is-root.ts'
import type { Io } from '../../io.ts'
import { createMarker, loopback, type Marker } from './marker.ts'

/**
 * A tcpdump that writes the heads of all packets into a few files, the oldest of which it overwrites, for as long as
 * the agent lives. It is late, and knows how late: of what it saw before a *mark*, everything is written once the mark is.
 */
export type Ring = {
  start(): void
  /** Resolves when the program is gone and its files are removed. */
  stop(): Promise<void>
  /** Since when packets are captured (epoch milliseconds), null while they are not. */
  runsSince(): number | null
  /** Why there are no packets, for people; null while there are, and before the program has said anything. */
  problem(): string | null
  /** Resolves with a mark of this moment, which is greater than those before. `hurries`: it is to be written at once. */
  mark(hurries: boolean): Promise<number>
  /** The last mark that is written in what was written since an instant (epoch milliseconds); 0 if there is none. */
  lastMark(since: number): Promise<number>
  /** What has been written since an instant (epoch milliseconds), one file at a time, at most `fileCount`. */
  files(since: number): AsyncGenerator<Buffer>
}

type RingOptions = Pick<Io, 'clock' | 'log' | 'random' | 'datagrams' | 'newId'> & {
  /** The ports of name servers. */
  dnsPorts: ReadonlySet<number>
  /** Where to look for the programs. */
  path?: string
}

/** A hello of TLS with the name of its server fits, and most of a DNS answer. */
const maxPacketBytes = 512
const fileMb = 4
export const fileCount = 4

/**
 * The kernel hands packets on in blocks of 256 KB, which are full or a second old, and tcpdump writes whole buffers of a
 * few KB. To have it woken and writing for every packet (`--immediate-mode`, `-U`) costs four times as much, and packets
 * where the machine is busy. A mark is as many datagrams as fill the buffer, or the block.
 */
const tcpdump = [
  ...['tcpdump', '-n', '-i', 'any', '-y', 'LINUX_SLL2', '-s', String(maxPacketBytes)],
  ...['-B', '8192', '-C', String(fileMb), '-W', String(fileCount)],
]
const copiesForBuffer = 20
const copiesForBlock = 460

const filterOf = (dnsPorts: ReadonlySet<number>, markPort: number): string => {
  const wanted = [
    'tcp',
    ...[...dnsPorts].map((port) => `udp port ${port}`),
    `(dst host ${loopback} and udp dst port ${markPort})`,
    ...['icmp[0] = 3', 'icmp[0] = 11', '(icmp6 and ip6[40] < 5)'],
  ]
  // Every packet of the loopback is seen twice, once as it leaves.
  return `not (outbound and ifindex 1) and (${wanted.join(' or ')})`
}

/**
 * The shell in between ends the program and removes its files when our end of its standard input closes, however we end.
 * It gives up its own standard error, so that the end of that is the end of tcpdump.
 */
const keeper = `
exec 3<&0
folder=$1
shift
command -v nice >/dev/null && set -- nice -n 5 "$@"
"$@" </dev/null &
ring=$!
exec 2>/dev/null
trap : TERM INT HUP
read -r _ <&3
kill "$ring"
wait "$ring"
rm -rf "$folder"
`

const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** One that has run for this long does not count as failing again and again. */
const steadyMs = 60_000
/** The kernel's clock for files goes in steps, and lags behind ours. */
const fileClockMs = 20

type RingState = RingOptions & {
  marker: Marker
  /** The shell around tcpdump, of the last start. */
  child: ChildProcess | null
  folder: string
  filter: string
  runsSince: number | null
  problem: string | null
  /** How often in a row it has ended. */
  failures: number
  cancelRestart: (() => void) | null
  stopped: Promise<void> | null
}

/** Starts no program before `start`. */
export const createRing = (options: RingOptions): Ring => {
  const marker = createMarker(options)
  const state: RingState = {
    ...options,
    marker,
    child: null,
    folder: '',
    filter: '',
    runsSince: null,
    problem: null,
    failures: 0,
    cancelRestart: null,
    stopped: null,
  }
  return {
    start: () => start(state),
    stop: () => {
      state.stopped ??= stop(state)
      return state.stopped
    },
    runsSince: () => state.runsSince,
    problem: () => state.problem,
    mark: (hurries) => marker.send(hurries ? copiesForBlock : copiesForBuffer),
    lastMark: async (since) => {
      let last = 0
      for await (const file of filesOf(state.folder, since)) last = Math.max(last, marker.lastIn(file))
      return last
    },
    files: (since) => filesOf(state.folder, since),
  }
}

const start = async (state: RingState): Promise<void> => {
  try {
    state.filter = filterOf(state.dnsPorts, await state.marker.open())
  } catch (error) {
    return giveUp(state, `no datagram can be sent to ${loopback}: ${(error as Error).message}`)
  }
  if (state.stopped === null) run(state)
}

const run = (state: RingState): void => {
  const startedAt = state.clock.monotonic()
  try {
    state.folder = mkdtempSync(join(tmpdir(), 'watchpost-capture-'))
  } catch (error) {
    onEnd(state, `there is no folder for its files (${(error as Error).message})`, startedAt)
    return
  }
  const child = spawnTcpdump(state)
  state.child = child
  let lastWords = ''
  // The pipe of one that is gone already.
  child.stdin.on('error', () => undefined)
  child.once('error', (error) => onEnd(state, `the shell cannot be started: ${error.message}`, startedAt))
  const lines = createInterface({ input: child.stderr })
  lines.on('line', (line) => {
    if (/\blistening on\b/.test(line)) onListening(state)
    else lastWords = line
  })
  lines.once('close', () => {
    child.stdin.end()
    onEnd(state, lastWords, startedAt)
  })
}

const spawnTcpdump = ({ folder, filter, path = searchPath }: RingState) => {
  // It would become a user who may not write into the folder.
  const user = isRoot() ? ['-Z', 'root'] : []
  const command = [...tcpdump, ...user, '-w', join(folder, 'ring.pcap'), filter]
  return spawn('/bin/sh', ['-c', keeper, 'sh', folder, ...command], {
    cwd: '/',
    env: { PATH: path },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A Ctrl-C on the terminal is for us: we end it.
    detached: true,
  })
}

const onListening = (state: RingState): void => {
  state.runsSince = state.clock.now()
  if (state.problem === null && state.failures === 0)
    state.log.info('the packets of failing checks are captured with tcpdump')
  state.problem = null
}

const giveUp = (state: RingState, problem: string): void => {
  state.problem = problem
  state.log.info(`failing checks carry no packet capture: ${problem}`)
}

/** One that has never run is given up. Another is started again. */
const onEnd = (state: RingState, lastWords: string, startedAt: number): void => {
  const { clock, log, random } = state
  const ran = state.runsSince !== null
  state.runsSince = null
  if (state.stopped !== null) return
  if (!ran && state.failures === 0) {
    giveUp(state, reasonOf(lastWords))
    return
  }
  if (clock.monotonic() - startedAt > steadyMs) state.failures = 0
  state.failures += 1
  state.problem = 'tcpdump has ended and is started again'
  if (state.failures === 1) log.warn(`the packet capture has ended (${lastWords}); it is started again`)
  state.cancelRestart = clock.at(backOffMs(state.failures, random()), () => run(state))
}

const stop = ({ cancelRestart, marker, child }: RingState): Promise<void> =>
  new Promise((resolve) => {
    cancelRestart?.()
    marker.close()
    if (child === null || child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.stdin?.end()
  })

async function* filesOf(folder: string, since: number): AsyncGenerator<Buffer> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if ((await stat(path)).mtimeMs >= since - fileClockMs) yield await readFile(path)
  }
}

const reasonOf = (words: string): string => {
  if (words.startsWith('there is no folder')) return words
  if (/not found|No such file/i.test(words)) return 'tcpdump is not installed'
  if (/permi/i.test(words))
    return 'tcpdump may not capture: it needs the capability NET_RAW, from the agent’s process or as a file capability of its own'
  return `tcpdump does not start: ${words}`
}
