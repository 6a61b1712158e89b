/** Versions of agents beside that of the control plane. Pure. */

/** By the three numbers; a pre-release comes before its release (semver.org, item 11). */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [parts(a), parts(b)]
  for (const [position, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[position] ?? 0)
    if (difference !== 0) return difference
  }
  return Number(right.isPreRelease) - Number(left.isPreRelease) || (a < b ? -1 : Number(a > b))
}

/** Agents of the minor version before work (docs/deploy/upgrade.md): `0.3`. */
export const oldestSupported = (controlPlaneVersion: string): string => {
  const [major = 0, minor = 0] = parts(controlPlaneVersion).numbers
  return `${major}.${Math.max(0, minor - 1)}`
}

export const isSupported = (version: string, controlPlaneVersion: string): boolean => {
  const [major = 0, minor = 0] = parts(version).numbers
  return compareVersions(`${major}.${minor}`, oldestSupported(controlPlaneVersion)) >= 0
}

const parts = (version: string) => {
  const [core = '', preRelease] = version.split('-', 2)
  const [major, minor, patch] = core.split('.').map((text) => Number.parseInt(text, 10) || 0)
  return { numbers: [major ?? 0, minor ?? 0, patch ?? 0], isPreRelease: preRelease !== undefined }
}
