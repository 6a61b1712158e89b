/** A method of a service by its descriptors: what JSON becomes on the wire, and what came back as JSON. */
import {
  create,
  createFileRegistry,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { withWholeNames } from './type-names.ts'

const maxShownMethods = 100

export type MethodName = { service: string; method: string }

/** `shop.v1.Shop/Get`, with a slash before it or a dot in the place of that within; null: it is no such name. */
export const methodName = (text: string): MethodName | null => {
  const [, service = '', method = ''] = /^\/?([\w.]+)[/.](\w+)$/.exec(text.trim()) ?? []
  return service === '' ? null : { service, method }
}

/** Reads and writes messages of the method. Each of the three throws an Error that says what is wrong. */
export type Method = {
  path: string
  isUnary: boolean
  encode(json: string): Uint8Array
  decode(message: Uint8Array): JsonValue
}

/** @throws Error where the files do not fit together. `method` is null where they have no such method. */
export const findMethod = (
  files: readonly FileDescriptorProto[],
  { service, method }: MethodName,
): { method: Method | null; methods: string[] } => {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: withWholeNames(files) }))
  const found = registry.getService(service)
  const methods = [...registry].flatMap((one) =>
    one.kind === 'service' ? one.methods.map(({ name }) => `${one.typeName}/${name}`) : [],
  )
  const described = found?.methods.find(({ name }) => name === method)
  return {
    method: described === undefined ? null : methodOf(described, registry),
    methods: methods.slice(0, maxShownMethods),
  }
}

const methodOf = (described: DescMethod, registry: FileRegistry): Method => ({
  path: `/${described.parent.typeName}/${described.name}`,
  isUnary: described.methodKind === 'unary',
  encode: (json) => {
    const value = json.trim() === '' ? {} : (JSON.parse(json) as JsonValue)
    return toBinary(described.input, fromJson(described.input, value, { registry }))
  },
  decode: (message) =>
    toJson(described.output, fromBinary(described.output, message), {
      registry,
      alwaysEmitImplicit: true,
    }),
})
