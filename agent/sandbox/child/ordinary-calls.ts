import os from 'node:os'

const { process } = globalThis
const { env, resourceUsage } = process
const loadBuiltin = process.getBuiltinModule

// biome-ignore lint/suspicious/noExplicitAny: calls of any shape
type Call = (...args: any[]) => any

/** Node's own answer, and where what it would read is out of reach, the other one. */
const withFallback = <T extends Call>(call: T, fallback: (...args: Parameters<T>) => ReturnType<T>): T =>
  ((...args: Parameters<T>): ReturnType<T> => {
    try {
      return call(...args)
    } catch {
      // EACCES of a file, or no such kind of socket.
      return fallback(...args)
    }
  }) as T

/**
 * Calls for which Node reads `/proc`, `/etc/passwd` or a socket of the kernel's, which the isolation keeps from code of users, give
 * what is known without: programs as ordinary as yarn make them and would end with an error. The hooks' caller makes
 * them known to modules.
 */
export const answerOrdinaryCalls = (): void => {
  const rss = withFallback(process.memoryUsage.rss, () => resourceUsage().maxRSS * 1024)
  const memoryUsage = withFallback(process.memoryUsage, () => knownMemory(rss()))
  process.memoryUsage = Object.assign(memoryUsage, { rss })
  const cpus = withFallback(os.cpus, () => [])
  os.cpus = () => {
    const known = cpus()
    // Without `/proc/stat` it knows of none, which programs divide by.
    return known.length > 0 ? known : Array.from({ length: os.availableParallelism() }, unknownCpu)
  }
  os.networkInterfaces = withFallback(os.networkInterfaces, loopbackAlone)
  os.homedir = withFallback(os.homedir, () => env['HOME'] ?? '/')
  os.userInfo = withFallback(os.userInfo, (options) =>
    options?.encoding === 'buffer' ? inBytes(nameless()) : nameless(),
  ) as typeof os.userInfo
}

/** The most so far stands for what there is now; what of it are buffers is not known. */
const knownMemory = (rss: number): NodeJS.MemoryUsage => {
  const heap = (loadBuiltin('node:v8') as typeof import('node:v8')).getHeapStatistics()
  return {
    rss,
    heapTotal: heap.total_heap_size,
    heapUsed: heap.used_heap_size,
    external: heap.external_memory,
    arrayBuffers: 0,
  }
}

const unknownCpu = (): os.CpuInfo => ({
  model: 'unknown',
  speed: 0,
  times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 },
})

/** All of the network that code of users has by itself. */
const loopbackAlone = (): ReturnType<typeof os.networkInterfaces> => ({
  lo: [
    {
      address: '127.0.0.1',
      netmask: '255.0.0.0',
      family: 'IPv4',
      mac: '00:00:00:00:00:00',
      internal: true,
      cidr: '127.0.0.1/8',
    },
  ],
})

/** A run has a number of its own and no name. */
const nameless = (): os.UserInfo<string> => ({
  uid: process.getuid?.() ?? -1,
  gid: process.getgid?.() ?? -1,
  username: 'nobody',
  homedir: os.homedir(),
  shell: null,
})

const inBytes = (user: os.UserInfo<string>) => ({
  ...user,
  username: Buffer.from(user.username),
  homedir: Buffer.from(user.homedir),
})
