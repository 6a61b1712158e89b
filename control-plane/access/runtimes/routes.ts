import { Type } from 'typebox'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { runtimes } from './runtimes.ts'
import { Runtime } from './schema.ts'

const tag = 'Runtimes'
const example = {
  name: '2026.04',
  nodeJsVersion: '24.13.1',
  multiStepSupport: true,
  stage: 'CURRENT',
  runtimeEndOfLife: '2028-04-30',
  description: 'Node.js 24.13.1, Playwright 1.58.2',
  dependencies: { playwright: '1.58.2' },
}

const list = route({
  method: 'GET',
  path: '/v1/runtimes',
  access: 'PUBLIC',
  tag,
  summary: 'All runtimes, newest first',
  status: 200,
  response: Type.Array(Runtime),
  example: { response: [example] },
  handle: () => [...runtimes],
})

const read = route({
  method: 'GET',
  path: '/v1/runtimes/:id',
  access: 'PUBLIC',
  tag,
  summary: 'One runtime',
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 32 }) }),
  status: 200,
  otherStatuses: { 404: 'There is no such runtime' },
  response: Runtime,
  example: { params: { id: '2026.04' }, response: example },
  handle: ({ params }) => {
    const runtime = runtimes.find(({ name }) => name === params.id)
    if (!runtime) throw notFound()
    return runtime
  },
})

export const runtimeRoutes: Route[] = [list, read]
