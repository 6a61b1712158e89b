import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { backOffMs } from '../../back-off.ts'
import type { Io } from '../../io.ts'

/**
 * A tcpdump that writes the heads of all packets into a few files, the oldest of which it overwrites, for as long as
 * the agent lives. `problem`: why there is none, for people; null while it runs, and before it has said anything.
 */
export type Ring = {
  start(): void
  /** Resolves when the program is gone and its files are removed. */
  stop(): Promise<void>
  running(): boolean
  problem(): string | null
  /** What has been written since an instant (epoch milliseconds), one file at a time. */
  files(since: number): AsyncGenerator<Buffer>
}

export type RingOptions = Pick<Io, 'clock' | 'log' | 'random'> & {
  /** Where to look for the programs. */
  path?: string
}

/** A hello of TLS with the name of its server fits, and most of a DNS answer. */
const keptBytes = 512
const fileMb = 4
const fileCount = 4

/** Every packet of the loopback is seen twice, once as it leaves. */
const filter =
  'not (outbound and ifindex 1) and (tcp or udp port 53 or icmp[0] = 3 or icmp[0] = 11 or (icmp6 and ip6[40] < 5))'

/** Packets are there at once and not a second later, which costs a little more of what is left over by others (`nice`). */
const tcpdump = [
  ...['tcpdump', '-n', '-i', 'any', '-y', 'LINUX_SLL2', '-s', String(keptBytes), '--immediate-mode', '-U'],
  ...['-B', '8192', '-C', String(fileMb), '-W', String(fileCount)],
]

/**
 * The shell in between ends the program and removes its files when our end of its standard input closes, however we end.
 * It gives up its own standard error, so that the end of that is the end of tcpdump.
 */
const keeper = `
exec 3<&0
folder=$1
shift
nice -n 19 "$@" </dev/null &
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

export const createRing = ({ clock, log, random, path = searchPath }: RingOptions): Ring => {
  let child: ChildProcess | null = null
  let folder = ''
  let listening = false
  let problem: string | null = null
  let failures = 0
  let cancelRestart: (() => void) | null = null
  let stopped: Promise<void> | null = null

  const start = (): void => {
    folder = mkdtempSync(join(tmpdir(), 'watchpost-capture-'))
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
    listening = true
    if (problem === null && failures === 0)
      log.info('the packets of failing checks are captured with tcpdump')
    problem = null
  }

  const ended = (words: string, startedAt: number): void => {
    const ran = listening
    listening = false
    if (stopped !== null) return
    if (!ran && failures === 0) {
      problem = reasonOf(words)
      log.info(`failing checks carry no packet capture: ${problem}`)
      return
    }
    if (clock.monotonic() - startedAt > steadyMs) failures = 0
    failures += 1
    problem = 'tcpdump has ended and is started again'
    if (failures === 1) log.warn(`the packet capture has ended (${words}); it is started again`)
    cancelRestart = clock.at(backOffMs(failures, random()), start)
  }

  const stop = (): Promise<void> => {
    stopped ??= new Promise((resolve) => {
      cancelRestart?.()
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
    running: () => listening,
    problem: () => problem,
    files: (since) => filesOf(folder, since),
  }
}

async function* filesOf(folder: string, since: number): AsyncGenerator<Buffer> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if ((await stat(path)).mtimeMs >= since) yield await readFile(path)
  }
}

const reasonOf = (words: string): string => {
  if (/not found|No such file/i.test(words)) return 'tcpdump is not installed'
  if (/permi/i.test(words))
    return 'tcpdump may not capture: it needs the capability NET_RAW, from the agent’s process or as a file capability of its own'
  return `tcpdump does not start: ${words}`
}
