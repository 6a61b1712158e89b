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

/** Agents of the two minor versions before work (docs/deploy/upgrade.md): of 0.5 those from `0.3` on. */
export const oldestSupported = (controlPlaneVersion: string): string => {
  const [major = 0, minor = 0] = parts(controlPlaneVersion).numbers
  return `${major}.${Math.max(0, minor - supportedBefore)}`
}

export const versionSkews = ['TOO_OLD', 'NEWER'] as const
export type VersionSkew = (typeof versionSkews)[number]

/** Null: the two work together. Patches make no difference. */
export const skewOf = (version: string, controlPlaneVersion: string): VersionSkew | null => {
  const own = minorOf(version)
  if (compareVersions(own, oldestSupported(controlPlaneVersion)) < 0) return 'TOO_OLD'
  return compareVersions(own, minorOf(controlPlaneVersion)) > 0 ? 'NEWER' : null
}

const supportedBefore = 2

const minorOf = (version: string): string => parts(version).numbers.slice(0, 2).join('.')

const parts = (version: string) => {
  const [core = '', preRelease] = version.split('-', 2)
  const [major, minor, patch] = core.split('.').map((text) => Number.parseInt(text, 10) || 0)
  return { numbers: [major ?? 0, minor ?? 0, patch ?? 0], isPreRelease: preRelease !== undefined }
}
