import type { RealIo } from '../../agent/program/real-io.ts'
import type { ScriptListener } from '../../agent/sandbox/sandbox-options.ts'
import type { ScriptTask } from '../../agent/sandbox/task.ts'

/** What a sandbox is asked to do, with what a test does not care about filled in. */
export const scriptTask = (code: string, change: Partial<ScriptTask> = {}): ScriptTask => ({
  phase: 'setup',
  script: { name: 'the setup script of the check', code },
  runtimeId: '2026.04',
  snippets: [],
  variables: new Map(),
  secretNames: [],
  request: { method: 'GET', url: 'https://example.com/', headers: {}, queryParameters: {}, body: '' },
  response: null,
  body: null,
  ...change,
})

/** What a script is given besides its code; the address of its location's proxy is a matter of the run. */
type Change = Partial<ScriptTask> & { proxyUrl?: string }

/** Runs a script and keeps what it said. */
export const runScriptWith =
  (io: RealIo) =>
  async (code: string, { proxyUrl, ...change }: Change = {}, controller = new AbortController()) => {
    const { route: egressRoute } = io.egressRoutes.of({
      id: 'a-run',
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    })
    const lines: string[] = []
    const hidden: string[] = []
    const listener: ScriptListener = {
      signal: controller.signal,
      say: (level, msg) => lines.push(`${level} ${msg}`),
      hide: (secret) => hidden.push(secret) > 0,
    }
    const answer = await io.runScript(scriptTask(code, change), listener, { ...io, egressRoute })
    return {
      answer,
      lines,
      hidden,
      problem: answer.ok ? null : answer.problem,
      changes: answer.ok ? answer.changes : null,
    }
  }
