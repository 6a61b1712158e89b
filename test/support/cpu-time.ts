import './patience.ts'

/**
 * The CPU time that this process has used so far, in milliseconds: what work costs, however many others the machine
 * serves at the same time. For tests that hold work to a bound; how fast it is is measured by the benchmarks.
 */
export const cpuTimeMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
