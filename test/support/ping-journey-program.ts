/**
 * A whole installation inside the namespace of ping-lab.ts: creates the ICMP checks that it is given through the API,
 * waits for the first result of each and prints them, as the API shows them.
 */
import { callApi } from './api.ts'
import { listening, spawnAgent, spawnControlPlane } from './programs.ts'
import { until } from './until.ts'

const [folder = '', checks = '[]'] = process.argv.slice(2)
const controlPlane = await listening(spawnControlPlane({ dataDir: `${folder}/data` }))
const agent = spawnAgent({ url: controlPlane.url, spoolDir: `${folder}/spool`, browsers: false })

type Page = { entries: object[] }

const firstResult = async (body: object): Promise<unknown> => {
  const created = await callApi<{ id: string }>(controlPlane.url, '/v1/checks/icmp', { method: 'POST', body })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  let result: object | undefined
  const look = async (): Promise<boolean> => {
    const page = await callApi<Page>(controlPlane.url, `/v2/check-results/${created.body.id}`)
    result = page.body.entries[0]
    return result !== undefined
  }
  await until('the first result', look, 500)
  return result
}

try {
  await agent.line(/connected to the control plane/)
  process.stdout.write(JSON.stringify(await Promise.all((JSON.parse(checks) as object[]).map(firstResult))))
} finally {
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
}
