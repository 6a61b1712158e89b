/**
 * A whole installation inside the namespace of ping-lab.ts: creates the ICMP checks that it is given through the API,
 * waits for the first result of each and prints them, as the API shows them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { callApi } from './api.ts'
import { listening, spawnAgent, spawnControlPlane } from './programs.ts'

const [folder = '', checks = '[]'] = process.argv.slice(2)
const controlPlane = await listening(spawnControlPlane({ dataDir: `${folder}/data` }))
const agent = spawnAgent({ url: controlPlane.url, spoolDir: `${folder}/spool` })

type Page = { entries: object[] }

const firstResult = async (body: object): Promise<unknown> => {
  const created = await callApi<{ id: string }>(controlPlane.url, '/v1/checks/icmp', { method: 'POST', body })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  for (let tries = 0; tries < 1000; tries += 1) {
    const page = await callApi<Page>(controlPlane.url, `/v2/check-results/${created.body.id}`)
    const [result] = page.body.entries
    if (result !== undefined) return result
    await sleep(20)
  }
  throw new Error(`no result\n${agent.output()}\n${controlPlane.output()}`)
}

try {
  await agent.line(/connected to the control plane/)
  process.stdout.write(JSON.stringify(await Promise.all((JSON.parse(checks) as object[]).map(firstResult))))
} finally {
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
}
