import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { SandboxOptions } from './sandbox-options.ts'
import type { ChildTask, RuntimePackages, ScriptTask } from './task.ts'

type FeedContext = Pick<SandboxOptions, 'extraCaCerts'> & {
  packages: RuntimePackages
  snippetFiles: Record<string, string>
  egressProxyPort: number
  hasProxy: boolean
}

/** Says what is to be done. The body goes as it came: to write 25 MB as JSON would keep other checks waiting. */
export const feed = (
  child: ChildProcess,
  task: ScriptTask,
  { packages, snippetFiles, extraCaCerts, egressProxyPort, hasProxy }: FeedContext,
): void => {
  const stdin = child.stdin as Writable
  const first: ChildTask = {
    phase: task.phase,
    code: task.script.code,
    runtimeId: task.runtimeId,
    packages,
    snippetFiles,
    variables: Object.fromEntries(task.variables),
    secretNames: task.secretNames,
    request: task.request,
    response: task.response,
    contentType: task.body?.contentType ?? '',
    extraCaCerts,
    egressProxyPort,
    hasProxy,
  }
  // A child that ends early does not read; how it ended says why.
  stdin.on('error', () => undefined)
  stdin.write(`${JSON.stringify(first)}\n`)
  stdin.end(task.body?.bytes ?? '')
}
