/**
 * What Landlock is told (landlock(7)), by the version of its interface: 1 knows files (5.13), 4 TCP ports (6.7), 6 signals and
 * abstract sockets of other processes (6.12). A version that lacks something leaves it open; the probe says so.
 */

const right = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeDevice: (1 << 6) | (1 << 11),
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  makeSocket: 1 << 9,
  makePipe: 1 << 10,
  makeLink: 1 << 12,
  refer: 1 << 13,
  truncate: 1 << 14,
  useDevice: 1 << 15,
} as const

const ofFirstVersion = (1 << 13) - 1
const ofFiles = right.execute | right.writeFile | right.readFile | right.truncate | right.useDevice
const bindTcp = 1
const connectTcp = 2
/** Abstract sockets, and signals. */
const allScopes = 3

/**
 * `file`: it is not a folder; rights on what is in a folder would be refused. `change`: the files that are there, and no others.
 */
export type PathRule = { path: string; file: boolean; may: 'read' | 'run' | 'write' | 'use' | 'change' }

type LandlockRequest = {
  paths: readonly PathRule[]
  /** The one port that may be connected to; null: none. */
  port: number | null
}

/** Ready for the kernel: the bytes of `struct landlock_ruleset_attr`, and what each rule allows. */
type LandlockRules = {
  ruleset: Buffer
  paths: readonly { path: string; allowed: number }[]
  /** The bytes of `struct landlock_net_port_attr`. */
  port: Buffer | null
}

type LandlockParts = { files: boolean; tcp: boolean; scopes: boolean }

export const partsOf = (version: number): LandlockParts => ({
  files: version >= 1,
  tcp: version >= 4,
  scopes: version >= 6,
})

/** All rights on files that this version can take away. */
const handledRights = (version: number): number =>
  ofFirstVersion |
  (version >= 2 ? right.refer : 0) |
  (version >= 3 ? right.truncate : 0) |
  (version >= 5 ? right.useDevice : 0)

const rightsTo: Record<PathRule['may'], number> = {
  read: right.readFile | right.readFolder,
  run: right.readFile | right.readFolder | right.execute,
  use: right.readFile | right.writeFile | right.truncate,
  change: right.readFile | right.readFolder | right.writeFile,
  write:
    right.readFile |
    right.readFolder |
    right.writeFile |
    right.truncate |
    right.refer |
    right.makeFile |
    right.makeFolder |
    right.makeLink |
    right.makePipe |
    right.removeFile |
    right.removeFolder,
}

/** null: the kernel has none. */
export const landlockRules = ({ paths, port }: LandlockRequest, version: number): LandlockRules | null => {
  if (version < 1) return null
  const { tcp, scopes } = partsOf(version)
  const words = [
    handledRights(version),
    ...(tcp ? [bindTcp | connectTcp] : []),
    ...(scopes ? [allScopes] : []),
  ]
  return {
    ruleset: uint64s(words),
    paths: paths.map(({ path, file, may }) => ({
      path,
      allowed: rightsTo[may] & handledRights(version) & (file ? ofFiles : ~0),
    })),
    port: tcp && port !== null ? uint64s([connectTcp, port]) : null,
  }
}

const uint64s = (values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index)
  return bytes
}
