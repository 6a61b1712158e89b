/** Browser, multi-step and Playwright checks, heartbeats, agentic checks, and runs that could not start. */

import { type CheckType, isRunnable } from '../../../../protocol/check-type.ts'
import { kindOf } from '../../../monitoring/definitions/checks/types/index.ts'
import { type Told, tell } from '../../../platform/words/told.ts'
import { type Facts, messageOf } from '../facts.ts'
import { leavesTrace, whereToLook } from './files.ts'
import { artifact, evidence, type Rule } from './rule.ts'

const says =
  (pattern: RegExp) =>
  (facts: Facts): boolean =>
    kindOf(facts.check.type).runsScripts === true && pattern.test(messageOf(facts))

const log = ({ run }: Facts) =>
  run.log.length === 0
    ? []
    : [evidence(`The last lines of the log: ${run.log.slice(-5).join(' | ')}`.slice(0, 2000), artifact.log)]

const first = (facts: Facts): string => messageOf(facts).split('\n')[0]?.slice(0, 300) ?? ''

/** `locator('…')`, `getByRole('…')` of a Playwright message. */
const target = (facts: Facts): string | Told =>
  /(?:locator|getBy\w+|waitForSelector)\([^\n]{1,200}?\)/.exec(messageOf(facts))?.[0] ?? tell`an element`

/** An element or page was found, and what it has is not what is expected: a quoted text, a number or a difference. */
const receivedAnother = (message: string): boolean =>
  /expect\((?:locator|page)\)\.(?:not\.)?to/.test(message) &&
  !/element\(s\) not found/.test(message) &&
  /^(?:Received(?: \w+)?: +(?:"|\d)|\+ Received )/m.test(message)

const valueIn = (message: string, name: 'Expected' | 'Received'): string | undefined =>
  new RegExp(`^${name}(?: \\w+)?: +([^\\n]{1,200})`, 'm').exec(message)?.[1]

const difference = (facts: Facts): Told => {
  const message = messageOf(facts)
  const subject = /^Locator: +(?!locator\(':root'\))([^\n]{1,200})/m.exec(message)?.[1] ?? tell`the page`
  const [received, expected] = [valueIn(message, 'Received'), valueIn(message, 'Expected')]
  return received === undefined || expected === undefined
    ? tell`${subject} has another value than the script expects`
    : tell`${subject} has ${received}, and the script expects ${expected}`
}

export const couldNotRunRules: Rule[] = [
  {
    id: 'could-not-run',
    classification: 'MONITORING_ERROR',
    applies: ({ run }) => run.hasErrors,
    rootCause: (facts) =>
      tell`The agent in ${facts.run.location} could not run the check: ${messageOf(facts)}. This is a failure of the monitoring, not of the target.`,
    userImpact: () =>
      tell`None that is known: the target was not judged. It is unobserved from this location for as long as this lasts.`,
    fix: () =>
      tell`Look at the agent's log and metrics in this location: memory, open files, disk, missing capabilities (ICMP), a runtime or browser that does not start. Other locations go on.`,
    evidence: log,
  },
  {
    id: 'heartbeat-missed',
    classification: 'JOB_DID_NOT_RUN',
    applies: ({ check }) => !isRunnable(check.type as CheckType),
    rootCause: (facts) =>
      tell`No ping arrived within period and grace: the job behind "${facts.check.name}" did not run, did not finish, or could not reach the ping address.`,
    userImpact: () =>
      tell`Whatever the job provides (backups, reports, imports) is missing or stale since the last ping.`,
    fix: () =>
      tell`Look at the job's scheduler: did it start, and with what exit status did it end? Then whether its machine reaches the ping address. If the job only became slower, widen \`grace\`.`,
  },
]

export const scriptRules: Rule[] = [
  {
    id: 'script-does-not-parse',
    classification: 'SCRIPT_ERROR',
    applies: says(
      /SyntaxError|Cannot find module|There is no package|ERR_MODULE_NOT_FOUND|is not defined|is not a function|Cannot read propert/,
    ),
    rootCause: (facts) =>
      tell`The script of the check itself is broken: ${first(facts)}. It never got to judge the target, or stopped half-way for its own reason.`,
    userImpact: () => tell`None that is known: the fault is in the script.`,
    fix: () =>
      tell`Look at the line that the stack trace names. A missing module is not part of the runtime: choose another \`runtimeId\` or take the dependency out. A value that is missing is often a variable that is not set here.`,
    evidence: log,
  },
  {
    id: 'another-text-received',
    classification: 'ASSERTION_FAILED',
    applies: (facts) => says(/expect\(/)(facts) && receivedAnother(messageOf(facts)),
    rootCause: (facts) =>
      tell`The page loaded and the element is there, but ${difference(facts)}. The text or the data behind it was changed, or the page shows somebody else's or an error.`,
    userImpact: () => tell`Users see what was received; whether it is wrong, the script alone cannot say.`,
    fix: (facts) =>
      tell`Look at ${whereToLook(facts)} of the run at this step. Then fix the application or its data, or the expectation if the new value is right.`,
    evidence: log,
  },
  {
    id: 'element-not-found',
    classification: 'PAGE_CHANGED',
    applies: says(
      /(?:waiting for|Timeout \d+ms exceeded)[\s\S]*(?:locator|getBy|selector)|locator\.\w+: Timeout|strict mode violation/,
    ),
    rootCause: (facts) =>
      tell`The page loaded, but ${target(facts)} did not become ready in time: ${/strict mode/.test(messageOf(facts)) ? tell`it matches more than one element` : tell`it is not there, hidden or covered`}. The page was changed, part of it failed to load, or it shows something else such as an error or a consent dialog.`,
    userImpact: () =>
      tell`If the element is really missing, users cannot take this step; if it was only renamed, they notice nothing.`,
    fix: (facts) =>
      tell`Open ${whereToLook(facts)} of the run at this step: it shows what the page looked like. Then either fix the page, or the selector of the script (prefer roles and test ids).`,
    evidence: log,
  },
  {
    id: 'page-did-not-load',
    classification: 'TIMEOUT',
    applies: says(
      /(?:page\.goto|navigat\w+|waitForNavigation|waitForLoadState|waitForURL)[\s\S]*(?:Timeout|exceeded)/i,
    ),
    rootCause: (facts) =>
      tell`A page did not finish loading within the time limit: ${first(facts)}. The server is slow, or a resource of the page hangs while the script waits for all of them.`,
    userImpact: () => tell`Users see a page that keeps loading.`,
    fix: (facts) =>
      tell`Look at ${leavesTrace(facts) ? tell`the network part of the trace` : tell`the log`} for the request that was open at the end. If it is a third party's, wait for \`domcontentloaded\` instead of \`networkidle\`; if it is ours, look at the server.`,
    evidence: log,
  },
  {
    id: 'expectation-failed',
    classification: 'ASSERTION_FAILED',
    applies: says(/expect\(|AssertionError|toBe|toHave|toEqual|Expected[\s\S]*Received/),
    rootCause: (facts) =>
      tell`An expectation of the script does not hold: ${first(facts)}. The steps before it worked.`,
    userImpact: () => tell`Users see the value that was received instead of the expected one.`,
    fix: (facts) =>
      tell`Compare expected and received value in the message and look at ${whereToLook(facts)} of this step. Then fix the application, or the expectation if the new value is right.`,
    evidence: log,
  },
  {
    id: 'script-ran-too-long',
    classification: 'TIMEOUT',
    applies: says(/time ?(?:limit|out)|exceeded|took too long/i),
    rootCause: (facts) => tell`The script did not finish within its time limit: ${first(facts)}.`,
    userImpact: () => tell`Unknown: the script waited for something that users may have to wait for as well.`,
    fix: (facts) =>
      tell`See in the ${leavesTrace(facts) ? tell`trace or log` : tell`log`} which step it was in. A step that waits for ever needs a time limit of its own, so that it fails with a name.`,
    evidence: log,
  },
]
