import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { backOffMs } from '../../../back-off.ts'
import type { Io } from '../../../io.ts'
import { createMarker, loopback } from './marker.ts'

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

export type RingOptions = Pick<Io, 'clock' | 'log' | 'random' | 'datagrams' | 'newId'> & {
  /** The ports of name servers. */
  dnsPorts: ReadonlySet<number>
  /** Where to look for the programs. */
  path?: string
}

/** A hello of TLS with the name of its server fits, and most of a DNS answer. */
const keptBytes = 512
const fileMb = 4
export const fileCount = 4

/**
 * The kernel hands packets on in blocks of 256 KB, which are full or a second old, and tcpdump writes whole buffers of a
 * few KB. To have it woken and writing for every packet (`--immediate-mode`, `-U`) costs four times as much, and packets
 * where the machine is busy. A mark is as many datagrams as fill the buffer, or the block.
 */
const tcpdump = [
  ...['tcpdump', '-n', '-i', 'any', '-y', 'LINUX_SLL2', '-s', String(keptBytes)],
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
nice -n 5 "$@" </dev/null &
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

export const createRing = (options: RingOptions): Ring => {
  const { clock, log, random, dnsPorts, path = searchPath } = options
  const marker = createMarker(options)
  let child: ChildProcess | null = null
  let folder = ''
  let filter = ''
  let runsSince: number | null = null
  let problem: string | null = null
  let failures = 0
  let cancelRestart: (() => void) | null = null
  let stopped: Promise<void> | null = null

  const start = async (): Promise<void> => {
    try {
      filter = filterOf(dnsPorts, await marker.open())
    } catch (error) {
      return unable(`no datagram can be sent to ${loopback}: ${(error as Error).message}`)
    }
    if (stopped === null) run()
  }

  const run = (): void => {
    try {
      folder = mkdtempSync(join(tmpdir(), 'watchpost-capture-'))
    } catch (error) {
      ended(`there is no folder for its files (${(error as Error).message})`, clock.monotonic())
      return
    }
    const { uid, username } = userInfo()
    // It would become a user who may not write into the folder.
    const user = uid === 0 ? ['-Z', username] : []
    const command = [...tcpdump, ...user, '-w', join(folder, 'ring.pcap'), filter]
    const started = spawn('/bin/sh', ['-c', keeper, 'sh', folder, ...command], {
      cwd: '/',
      env: { PATH: path },
      stdio: ['pipe', 'ignore', 'pipe'],
      // A Ctrl-C on the terminal is for us: we end it.
      detached: true,
    })
    child = started
    const startedAt = clock.monotonic()
    let last = ''
    // The pipe of one that is gone already.
    started.stdin.on('error', () => undefined)
    started.once('error', (error) => ended(`the shell cannot be started: ${error.message}`, startedAt))
    const lines = createInterface({ input: started.stderr })
    lines.on('line', (line) => {
      if (/\blistening on\b/.test(line)) heard()
      else last = line
    })
    lines.once('close', () => {
      started.stdin.end()
      ended(last, startedAt)
    })
  }

  const heard = (): void => {
    runsSince = clock.now()
    if (problem === null && failures === 0)
      log.info('the packets of failing checks are captured with tcpdump')
    problem = null
  }

  const unable = (why: string): void => {
    problem = why
    log.info(`failing checks carry no packet capture: ${problem}`)
  }

  const ended = (words: string, startedAt: number): void => {
    const ran = runsSince !== null
    runsSince = null
    if (stopped !== null) return
    if (!ran && failures === 0) {
      unable(reasonOf(words))
      return
    }
    if (clock.monotonic() - startedAt > steadyMs) failures = 0
    failures += 1
    problem = 'tcpdump has ended and is started again'
    if (failures === 1) log.warn(`the packet capture has ended (${words}); it is started again`)
    cancelRestart = clock.at(backOffMs(failures, random()), run)
  }

  const stop = (): Promise<void> => {
    stopped ??= new Promise((resolve) => {
      cancelRestart?.()
      marker.close()
      const last = child
      if (last === null || last.exitCode !== null || last.signalCode !== null) return resolve()
      last.once('exit', () => resolve())
      last.stdin?.end()
    })
    return stopped
  }

  return {
    start,
    stop,
    runsSince: () => runsSince,
    problem: () => problem,
    mark: (hurries) => marker.send(hurries ? copiesForBlock : copiesForBuffer),
    lastMark: async (since) => {
      let last = 0
      for await (const file of filesOf(folder, since)) last = Math.max(last, marker.lastIn(file))
      return last
    },
    files: (since) => filesOf(folder, since),
  }
}

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
