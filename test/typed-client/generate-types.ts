/** TypeScript types of an OpenAPI document, as a client's author would generate them. */
import openapiTS, { astToString } from 'openapi-typescript'

export const generateTypes = async (document: object): Promise<string> =>
  astToString(await openapiTS(structuredClone(document) as never, { defaultNonNullable: false }))
