import type { World } from './world.ts'

/** A variable that a file made, whose key a second project was refused, and a look at both. */
export const addKeysOfFiles = async (world: World): Promise<void> => {
  const digest = 'a'.repeat(64)
  const body = { key: 'OF_A_FILE', value: 'of a file' }
  const changes = [{ action: 'create', kind: 'variable', key: 'OF_A_FILE', digest, body }]
  for (const project of ['shop', 'other']) {
    const done = await world.call('POST', `/v1/code/${project}/changes`, { changes })
    if (done.status !== 200) throw new Error(done.text)
  }
  const read = await world.call('POST', '/v1/code/shop/comparisons', {
    digests: [{ kind: 'variable', key: 'OF_A_FILE', digest }],
  })
  if (read.status !== 200) throw new Error(read.text)
}
