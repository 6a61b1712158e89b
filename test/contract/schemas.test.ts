/** The programs compile their schemas without asking whether they are any (protocol/validate.ts): here it is asked. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { routes } from '../../control-plane/routes.ts'
import { ArtifactNote } from '../../protocol/artifact.ts'
import { checkProtocols } from '../../protocol/checks/index.ts'
import { CertificateContent, Job } from '../../protocol/job.ts'
import { Report } from '../../protocol/result.ts'
import '../support/patience.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const problemsOf = (schema: object): string => (ajv.validateSchema(schema) ? '' : ajv.errorsText())

t.test('every schema of a route is a JSON Schema', async (t) => {
  t.equal(problemsOf({ type: 'text' }) === '', false, 'what is none is found')
  for (const { method, path, params, query, body, envelope, response } of routes)
    for (const [place, schema] of Object.entries({ params, query, body, envelope, response }))
      if (schema !== undefined) t.equal(problemsOf(schema), '', `${method} ${path}: ${place}`)
})

t.test('every schema of what agents and checks exchange is a JSON Schema', async (t) => {
  const wire = { ArtifactNote, CertificateContent, Job, Report }
  for (const [name, schema] of Object.entries(wire)) t.equal(problemsOf(schema), '', name)
  for (const [type, protocol] of Object.entries(checkProtocols))
    for (const [part, schema] of Object.entries({ spec: protocol.spec, detail: protocol.detail }))
      if (schema !== null) t.equal(problemsOf(schema), '', `${type}: ${part}`)
})
