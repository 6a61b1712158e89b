/** Each sentence of docs/outages.md about what happens in an outage and after it names the test that holds it, in the order of the page. */
import { readFileSync } from 'node:fs'
import t from 'tap'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** How a sentence begins, and what holds it: the file of a test and words of the name, or why nothing can. */
type Held = readonly [begins: string, file: string, name: string] | readonly [begins: string, why: null]

const halfHour = ['test/journeys/half-hour-of-outage.test.ts', 'every due time of half an hour'] as const
const day = ['test/journeys/day-of-outage.test.ts', 'every due time of twenty hours ends once'] as const
const alone = (name: string) => ['test/agent/orders/alone.test.ts', name] as const
const lane = (name: string) => ['test/agent/orders/late-lane.test.ts', name] as const
const batches = (name: string) => ['test/agent/orders/late-batches.test.ts', name] as const
const contact = (name: string) => ['test/agent/orders/contact.test.ts', name] as const
const owners = (name: string) => ['test/agent/orders/ownership.test.ts', name] as const
const keepContact = (name: string) => ['test/agent/orders/keep-contact.test.ts', name] as const
const agentPitfall = (name: string) =>
  ['test/agent/orders/outage-pitfalls.test.ts', `pitfall ${name}`] as const
const pitfall = (name: string) =>
  ['test/control-plane/monitoring/outage-pitfalls.test.ts', `pitfall ${name}`] as const
const intake = (name: string) => ['test/control-plane/monitoring/runs/late-intake.test.ts', name] as const
const orders = (name: string) => ['test/control-plane/monitoring/jobs/orders/orders.test.ts', name] as const
const judging = (file: string, name: string) =>
  [`test/control-plane/monitoring/watches/late-judging/${file}.test.ts`, name] as const
const stale = (name: string) => ['test/control-plane/monitoring/watches/staleness.test.ts', name] as const
const problems = (file: string, name: string) =>
  [`test/control-plane/monitoring/watches/location-problems/${file}.test.ts`, name] as const

const held: Readonly<Record<string, readonly Held[]>> = {
  'What is promised': [
    ['**Every due time of an outage ends', ...halfHour],
    ['A due time that two agents ran', ...intake('whoever reports twice')],
    ['**Live results come first.**', ...lane('live reports go first, and never for ever')],
    ['What was run meanwhile is brought', ...lane('a hundred in a second, and no more')],
    ['**The past is history', ...pitfall('1, alerts out of the past: each check tells one thing')],
    ['Results of an outage are judged', ...judging('past-rounds', 'is not judged after those')],
    ['Of each check at most one thing', ...judging('judge-deferred', 'what still fails is told once')],
    ['What failed and recovered meanwhile', ...judging('after-an-outage', 'what is over is in one digest')],
    ['**A restart of an agent', ...alone('a restart while the control plane is away ends nothing')],
    ['They are on its disk, encrypted', ...agentPitfall('6, secrets: on disk they are encrypted')],
  ],
  'What is not promised': [
    ['Heartbeats, sessions and runs', ...orders('orders are what the agent can run')],
    ['A check that was created or changed', ...pitfall('5, old orders: what was muted, changed')],
    ['An agent whose disk fails', ...batches('where the disk takes nothing the newest are in memory')],
    ['What is older than the time', ...intake('what is no run of this location that can have been')],
    ['A key that was revoked', ...alone('orders end with their time, with their key')],
  ],
  Alone: [
    ['An agent is *alone*', ...contact('once nothing has been heard for longer')],
    ['A poll for jobs waits', ...keepContact('signs of life while a poll waits')],
    ['Where everything but polls is answered', ...contact('who answers everything but claims')],
    ['Alone,', ...alone('every due time of an outage is run once, in its slot')],
    ['it runs each due time', ...alone('every due time of an outage is run once, in its slot')],
    ['Whose a due time is', ...owners('each slot has one owner')],
    ['So where a location has several agents', ...agentPitfall('7, two agents: each due time has one owner')],
    ['With 0 it is requested once', ...owners('without a second owner nobody comes after')],
    [
      'A due time that was overtaken',
      'test/agent/orders/slots-of-rule.test.ts',
      'only the latest is run, if it may still wait',
    ],
    ['So is one that comes while', ...judging('settle-tick', 'because the run before still executed')],
    ['Retries, and whether', ...alone('a failed run is repeated as its check says, by the agent alone')],
    ["Due times are those of the control plane's clock", ...alone('a clock of the machine that is set')],
    ["After a restart it is the machine's clock", ...alone('a restart while the control plane is away')],
    ['A machine that is put to sleep', ...alone('a machine that sleeps while it is alone')],
    ['It says so in its log', 'test/journeys/outage.test.ts', 'monitoring goes on while the control plane'],
    [
      'An agent that is killed knows',
      'test/agent/orders/standing-orders.test.ts',
      'is on disk within a second',
    ],
    ['What it had been handed out ahead', ...alone('an agent that dies seconds after its last answer')],
    ['Not run alone:', ...orders('orders are what the agent can run')],
    ['Playwright suites run', null],
  ],
  'The return': [
    ['The first answer to a claim ends it', ...contact('being alone ends with an answer to a claim')],
    ['A due time that was run alone', ...alone('is handed out after the return is not run again')],
    ['Live results go first', ...lane('live reports go first, and never for ever')],
    [
      'Late ones have a lane',
      ...agentPitfall('2, the drain starves the living: it waits when it is told to'),
    ],
    ['Until they are taken', ...batches('a spool that is full loses the oldest')],
    ['A run whose agent died', ...batches('a run whose agent died before its next attempt')],
    [
      'Files of such runs',
      'test/control-plane/monitoring/late-artifacts.test.ts',
      'files of a late run come',
    ],
    ['Of those that had to go', ...lane('files that had to go while their run waited')],
    ['The control plane comes back', ...halfHour],
    ['It plans what is due now', ...judging('settled-locations', 'all who had orders are waited for')],
    ['Agents of a location whose last key', ...judging('after-an-outage', 'a key that is revoked while')],
    ['Meanwhile nobody is told', ...judging('judge-deferred', 'a live result waits for those of the past')],
    ['What nobody ran is recorded', ...judging('settle-tick', 'because the run before still executed')],
    ['The checks are judged', ...day],
    ['Exporters count what came', ...pitfall('10, short windows: late samples are counted')],
    ['A result that came this way', ...pitfall('5, old orders: what was muted, changed')],
  ],
  'When results stay away': [
    ['A check without a result', ...stale('a check is stale after three periods')],
    ['What failed goes on failing', ...stale('what failed goes on failing')],
    ['The first result that is newer', ...stale('everywhere, until one comes')],
    ['Not stale:', ...stale('a check that is muted, or deactivated')],
    ['A check that no agent could run', ...stale('a check that no agent could run is unknown')],
    ['A control plane that was away', ...stale('a control plane that was away finds')],
    ['While a failing run is tried again', ...stale('a failing run that is tried again for long')],
  ],
  'When agents are missing': [
    [
      'A private location without agents',
      ...problems('location-alerts', 'agents that are older than is supp'),
    ],
    [
      'While the control plane is away',
      ...problems('location-problems-tick', 'our own downtime is no absence'),
    ],
  ],
}

const sentencesOf = (title: string): string[] => {
  const [, behind = ''] = read('docs/outages.md').split(`\n## ${title}\n`)
  const [section = ''] = behind.split('\n## ')
  return section
    .split(/\n(?=- )|\n\n/)
    .map((paragraph) => paragraph.replace(/^- /, '').replace(/\s+/g, ' ').trim())
    .flatMap((paragraph) => paragraph.split(/(?<=[.](?:\*\*)?) (?=[A-Z*])/))
    .filter((sentence) => sentence !== '')
}

for (const [title, rows] of Object.entries(held))
  t.test(`${title}: each sentence is held by a test`, async (t) => {
    const sentences = sentencesOf(title)
    t.strictSame(
      sentences.map((sentence, n) => (sentence.startsWith(rows[n]?.[0] ?? '-') ? rows[n]?.[0] : sentence)),
      rows.map(([begins]) => begins),
    )
    for (const [begins, file, name] of rows)
      if (file !== null) t.ok(read(file).includes(name as string), `"${begins}": ${file} has "${name}"`)
  })
