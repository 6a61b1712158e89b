import type { World } from './world.ts'

/** Of an API check, with a variable of its own and what a client tells of a commit; and an address that runs it. */
export const addTest = async (world: World): Promise<void> => {
  const [check] = (await world.call('GET', '/v1/checks?checkType=API')).body
  const trigger = await world.call('POST', `/v1/triggers/checks/${check.id}`)
  if (trigger.status !== 201) throw new Error(trigger.text)
  const started = await world.call('POST', '/v1/test-sessions/trigger', {
    name: 'Before the release',
    target: { checkId: check.id },
    environmentVariables: [{ key: 'OF_TEST', value: 'secret of a test', secret: true }],
    metadata: {
      environment: 'staging',
      repoUrl: 'https://code.example/shop',
      commitId: '7fd1a60b',
      commitOwner: 'ada',
      commitMessage: 'Prices in euros',
      branchName: 'main',
      deploymentId: '12',
    },
  })
  const { testSessionId } = started.body
  const answer = await world.call('POST', `/v1/test-sessions/${testSessionId}/cancel`, {})
  if (answer.status !== 204) throw new Error(answer.text)
}
