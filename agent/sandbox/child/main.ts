/**
 * The program inside a script's process (`agent/sandbox/sandbox.ts`): reads the task, refuses other connections, gives the script its
 * objects, runs it, tells what it changed. Nothing here is a secret from the script, and nobody trusts what comes out.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { format } from 'node:util'
import { bodyText } from '../../net/http/body-text.ts'
import type { ChildTask } from '../task.ts'
import { changesOf } from './changes.ts'
import { readyConsole } from './console.ts'
import { environment } from './environment.ts'
import { createEvents } from './events.ts'
import { limitModules } from './limit-modules.ts'
import { limitProcess } from './limit-process.ts'
import { answerOrdinaryCalls } from './ordinary-calls.ts'
import { plainSnippets } from './plain-snippets.ts'
import { lineOf, prepareScript } from './script.ts'
import { useEgressProxy } from './use-egress-proxy.ts'

/** The first line of the input is the task, the rest the body of the response. */
const readTask = (input: Buffer): { task: ChildTask; body: string } => {
  const end = input.indexOf(10)
  const task: ChildTask = JSON.parse(input.toString('utf8', 0, end))
  const { contentType } = task
  return { task, body: bodyText({ bytes: input.subarray(end + 1), contentType, cut: false }) }
}

const { task, body } = readTask(readFileSync(0))
const events = createEvents()
const { process } = globalThis
const exit = process.exit.bind(process)
const given = {
  request: structuredClone(task.request),
  response: task.response === null ? undefined : { ...task.response, body },
}

const fail = (error: unknown): void => {
  const message =
    error instanceof Error
      ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}`
      : format(error)
  events.threw(message, lineOf(error, task.phase))
  exit(0)
}

// An agent that was killed stops nobody; one that lives stops it before, even where it was slow to begin (run-child.ts).
setTimeout(() => exit(1), 60_000).unref()
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
process.on('beforeExit', () => fail(new Error('it waits for something that never comes')))
await useEgressProxy(task)
limitModules(task)
plainSnippets(task.snippetFiles)
const env = environment(task, events.hide)
answerOrdinaryCalls()
limitProcess({ env, exit, log: events.log })
readyConsole(events.log)
Object.assign(globalThis, {
  request: given.request,
  response: given.response,
  REGION: task.variables['REGION'],
})
events.started()
try {
  const run = prepareScript(task)
  await run()
  const { request, response } = globalThis as typeof globalThis & typeof given
  const changes = changesOf(task, { request, response, body, env })
  // What is due already may throw yet, and Node tells of a rejection that nobody handles once its queues are empty.
  await sleep(0)
  await turn()
  if (events.done(changes)) exit(0)
} catch (error) {
  fail(error)
}
