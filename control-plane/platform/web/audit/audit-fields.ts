/** The fields of a document that an audit entry keeps. No resource has a field named `v`: it says the version of what is stored. */
import { Type } from 'typebox'
import { storedDoc } from '../../store/database/stored-doc.ts'

const AuditFields = Type.Record(Type.String(), Type.Unknown())
export type AuditFields = { [name: string]: unknown }

export const auditFields = storedDoc<typeof AuditFields, AuditFields>({
  name: 'fields of an audit entry',
  schema: AuditFields,
})
