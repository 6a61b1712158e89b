import { closeSync, openSync } from 'node:fs'
import { type Architecture, existingNumber, type Syscall } from './syscalls.ts'
import type { SystemCalls } from './system-calls.ts'

/** Names and values of what a file system is told (fsconfig(2)); null: the name alone. */
type Settings = Record<string, string | null>

/** What of mounting the agent does itself. Both throw where it may not. */
export type Mounts = {
  /** A descriptor of a mount that stands nowhere: it ends with its last descriptor, unless a child takes it into its view. */
  make(type: string, settings: Settings): Promise<number>
  /** Calls `use` with a device that is this file. It stays as long as something of it is mounted. */
  withLoop<T>(image: number, use: (device: string) => Promise<T>): Promise<T>
}

const closeOnExec = 1
const setName = 0
const setValue = 1
const create = 6
/** MOUNT_ATTR_NOSUID, NODEV and NOATIME. */
const attributes = 0x16

/** loop(4): LOOP_CTL_GET_FREE and LOOP_CONFIGURE. */
const findFree = 0x4c82
const configure = 0x4c0a
/** `struct loop_config`: the descriptor first, the flags of its `struct loop_info64` here. */
const configBytes = 304
const flagsAt = 60
const autoclear = 4
/** Somebody else may be faster. */
const loopAttempts = 10

export const createMounts = (system: SystemCalls, architecture: Architecture): Mounts => {
  const call = (name: Syscall, ...args: (number | Buffer | null)[]): number =>
    system.call(name, existingNumber(name, architecture), ...args)
  const make: Mounts['make'] = async (type, settings) => {
    const context = call('fsopen', text(type), closeOnExec)
    try {
      for (const [name, value] of Object.entries(settings))
        if (value === null) call('fsconfig', context, setName, text(name), null, 0)
        else call('fsconfig', context, setValue, text(name), text(value), 0)
      // It waits for the disk.
      const number = existingNumber('fsconfig', architecture)
      await system.callLater('fsconfig', number, context, create, null, null, 0)
      return call('fsmount', context, closeOnExec, attributes)
    } finally {
      closeSync(context)
    }
  }
  const attach = (image: number): { device: string; fd: number } => {
    const config = Buffer.alloc(configBytes)
    config.writeUInt32LE(image)
    config.writeUInt32LE(autoclear, flagsAt)
    for (let attempt = 1; ; attempt += 1) {
      const device = `/dev/loop${usingFile('/dev/loop-control', (fd) => call('ioctl', fd, findFree))}`
      const fd = openSync(device, 'r+')
      try {
        call('ioctl', fd, configure, config)
        return { device, fd }
      } catch (error) {
        closeSync(fd)
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || attempt === loopAttempts) throw error
      }
    }
  }
  return {
    make,
    withLoop: async (image, use) => {
      const { device, fd } = attach(image)
      try {
        return await use(device)
      } finally {
        closeSync(fd)
      }
    },
  }
}

const usingFile = <T>(path: string, use: (fd: number) => T): T => {
  const fd = openSync(path, 'r+')
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)
