import t from 'tap'
import { createUploadMutex } from '../../../../../control-plane/platform/store/artifact-store/upload-mutex.ts'

t.test('one at a time works on a key, the latest first to go on, others beside it', async (t) => {
  const uploads = createUploadMutex()
  const told: string[] = []
  const patient = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      told.push(`${name} begins`)
      const end = (): void => {
        told.push(`${name} ends`)
        resolve(name)
      }
      if (signal.aborted) end()
      else signal.addEventListener('abort', end)
    })
  const first = uploads.take('key', patient('first'))
  const second = uploads.take('key', patient('second'))
  const third = uploads.take('key', async () => {
    told.push('third')
    throw new Error('and fails')
  })
  t.equal(await uploads.take('other', async () => 'at once'), 'at once')
  t.strictSame(await Promise.all([first, second]), ['first', 'second'])
  await t.rejects(third, /and fails/)
  t.strictSame(told, ['first begins', 'first ends', 'second begins', 'second ends', 'third'])
  t.equal(await uploads.take('key', async (signal) => signal.aborted), false, 'a failure holds nobody up')
})
