// Runs in test:all only: it starts a process for each of many hostile scripts.
/**
 * Children that are not the program that they should be: a shell in Node's place, which can do what no script can. What
 * holds them is the parent.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

/** A sandbox whose Node runs these commands instead of the script. `$node` is the real one, `$flags` what it was given. */
const sandboxOf = (t: Test, commands: string) => {
  const execPath = join(temporaryFolder(t), 'node')
  const lines = [
    '#!/bin/sh',
    `node='${process.execPath}'`,
    'case "$*" in *strip-program*) exec "$node" "$@" ;; esac',
    'flags="$1 $2 $3 $4"',
    commands,
  ]
  writeFileSync(execPath, lines.join('\n'), { mode: 0o700 })
  return runScriptWith(agentIo({ host: { execPath, kill: process.kill } }))
}

/** Processes of this machine whose command line has the text. */
const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        // It has ended since.
        return false
      }
    })

t.test('nonsense on its descriptor is no answer', async (t) => {
  const nonsense = [
    'echo garbage >&3; sleep 60',
    `echo '{"type":"done"}' >&3; sleep 60`,
    `echo '{"type":"done","changes":{"request":{"url":1},"variables":{}}}' >&3; sleep 60`,
    'yes 0123456789 >&3',
    'head -c 10000000 /dev/zero >&3; sleep 60',
  ]
  for (const commands of nonsense) {
    const { problem } = await sandboxOf(t, commands)('')
    t.match(problem, /was stopped: it wrote to a descriptor that is not its own$/, commands)
  }
})

t.test('output is kept up to a limit, as lines of the run', async (t) => {
  const { problem, lines } = await sandboxOf(t, 'echo out; echo wrong >&2; yes | head -c 1000000; exit 3')('')
  t.match(problem, /ended its process before it was done \(exit code 3\)$/)
  t.match(lines[0], /^INFO out\ny\n/)
  t.match(lines[0], /\(1000004 bytes\)$/)
  t.ok(lines[0]!.length < 9000)
  t.equal(lines[1], 'WARN wrong')
  const killed = await sandboxOf(t, 'kill -SEGV $$')('')
  t.match(killed.problem, /before it was done \(SIGSEGV\)$/)
})

t.test('the whole group is gone when the script is, whatever became of its leader', async (t) => {
  const answer = `echo '{"type":"done","changes":{"request":{},"variables":{}}}' >&3`
  const endings: [string, RegExp | null][] = [
    ['exit 0', /exit code 0/],
    [answer, null],
    [`${answer}; sleep 60`, null],
    ['echo garbage >&3; sleep 60', /descriptor/],
    ["trap '' TERM; echo garbage >&3; while :; do sleep 1; done", /descriptor/],
  ]
  for (const [index, [ending, problem]] of endings.entries()) {
    const mark = `left-behind-${process.pid}-${index}`
    const left = `sh -c "trap '' TERM; while :; do sleep 1; done; echo ${mark}" &`
    const ended = await sandboxOf(t, `${left}\n${ending}`)('')
    if (problem === null) t.equal(ended.problem, null, ending)
    else t.match(ended.problem, problem, ending)
    t.same(processesWith(mark), [], ending)
  }
})

t.test('a child has limits of its own, for the case that nobody is left to stop it', async (t) => {
  const { lines } = await sandboxOf(t, 'ulimit -t; ulimit -c; exit 1')('')
  t.same(lines, ['INFO 60\n0'])
})

t.test('memory counts for the whole tree', async (t) => {
  const hog = `"$node" -e "const all = []; setInterval(() => all.push(Buffer.alloc(1e7, 1)), 5)" & wait`
  t.match(
    (await sandboxOf(t, hog)('')).problem,
    /it used more than its 320 MB of memory \(measured by the agent\)$/,
  )
})

t.test('Node’s permissions hold what gets around the guards', async (t) => {
  const file = join(temporaryFolder(t), 'spooled')
  writeFileSync(file, 'canary')
  const attempts = [
    `console.log(fs.readFileSync('${file}', 'utf8'))`,
    `fs.writeFileSync('${file}', 'changed')`,
    "child_process.execFileSync('id')",
    "new worker_threads.Worker('0', { eval: true })",
    "process.dlopen({ exports: {} }, 'x.node')",
    "process.binding('fs')",
  ]
  for (const code of attempts) {
    const { lines } = await sandboxOf(t, `exec "$node" $flags -e "${code}"`)('')
    t.match(lines.join(), /ERR_ACCESS_DENIED|ERR_DLOPEN_DISABLED/, code)
  }
  t.equal(readFileSync(file, 'utf8'), 'canary')
})
