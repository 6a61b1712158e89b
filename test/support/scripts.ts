import type { RunScript } from '../../agent/sandbox/sandbox.ts'
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
  proxyUrl: null,
  ...change,
})

/** Runs a script and keeps what it said. */
export const runScriptWith =
  (runScript: RunScript) =>
  async (code: string, change: Partial<ScriptTask> = {}, controller = new AbortController()) => {
    const lines: string[] = []
    const hidden: string[] = []
    const answer = await runScript(scriptTask(code, change), {
      signal: controller.signal,
      say: (level, msg) => lines.push(`${level} ${msg}`),
      hide: (secret) => hidden.push(secret),
    })
    return {
      answer,
      lines,
      hidden,
      problem: answer.ok ? null : answer.problem,
      changes: answer.ok ? answer.changes : null,
    }
  }
