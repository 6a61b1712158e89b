/** HEALTHCHECK of the images, which have no curl: the program's own probe decides. `health.ts control-plane` asks the API's. */
const [program] = process.argv.slice(2)
const port =
  program === 'control-plane' ? process.env['PORT'] || '8080' : process.env['AGENT_HEALTH_PORT'] || '8081'
const answer = await fetch(`http://127.0.0.1:${port}/-/liveness`).catch((error: Error) => error)
if (answer instanceof Error || answer.status !== 200) {
  const said = answer instanceof Error ? String(answer.cause ?? answer) : `status ${answer.status}`
  process.stderr.write(`the probe on port ${port}: ${said}\n`)
  process.exitCode = 1
}
