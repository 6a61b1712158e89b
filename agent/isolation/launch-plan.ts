/** What the launcher is told: everything is decided in the agent, so that it only has to do it, in this order. */

/** Where the launcher finds its plan, and takes it away before it becomes the child. */
export const planVariable = 'WATCHPOST_LAUNCH_PLAN'

/** A user and a group of a child's own. */
export type Owner = { uid: number; gid: number }

export type LaunchPlan = {
  /** Where the launcher finds koffi. */
  koffi: string
  architecture: 'x64' | 'arm64'
  /** The process that starts it, and with which the child ends. */
  parentPid: number
  /** The folder of its control group; null: it stays in the agent's. */
  group: string | null
  /** Number of the resource (getrlimit(2)), most of it. */
  limits: readonly (readonly [resource: number, max: number])[]
  /** null: the agent's own user, without any capability. */
  owner: Owner | null
  /** Where the file system of descriptor 4 is to stand; null: there is none. */
  volume: string | null
  /** base64 of the bytes; null: this kernel has no Landlock. */
  landlock: {
    ruleset: string
    paths: readonly { path: string; allowed: number }[]
    port: string | null
  } | null
  /** base64 of the seccomp program; null: this kernel takes none. */
  filter: string | null
  /** What the child becomes. */
  program: string
  args: readonly string[]
}

/** The launcher's last words, on descriptor 3, where a child's events go. Nothing of the child's own can come before it. */
export type LaunchFailure = { type: 'not-started'; problem: string }
