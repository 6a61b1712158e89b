/** A `.proto` file as people write it, as the descriptors that messages are read and written by. Pure. */
import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  MethodDescriptorProtoSchema,
  OneofDescriptorProtoSchema,
  type ServiceDescriptorProto,
  ServiceDescriptorProtoSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import protobuf from 'protobufjs'

/**
 * One file; of others it may import those of `google/protobuf/`. @throws Error that says what is wrong with the text. Nothing of
 * the parser is used but what it has read: it would make programs of names for messages.
 */
export const filesOfProto = (text: string): FileDescriptorProto[] => {
  const root = new protobuf.Root()
  const { package: name, imports = [] } = protobuf.parse(text, root, { keepCase: true })
  for (const path of imports) {
    const known = protobuf.common.get(path)
    if (known?.nested === undefined)
      throw new Error(`it imports ${path}, and only files of google/protobuf/ can be imported`)
    root.addJSON(known.nested)
  }
  root.resolveAll()
  const isProto2 = !/^\s*syntax\s*=\s*["']proto3["']/m.test(text)
  const google = fileOf('google/protobuf/imported.proto', 'google.protobuf', root, false)
  const own = fileOf('check.proto', name ?? '', root, isProto2)
  if (google === null) return own === null ? [] : [own]
  return own === null ? [google] : [google, { ...own, dependency: [google.name] }]
}

const fileOf = (
  name: string,
  packageName: string,
  root: protobuf.Root,
  isProto2: boolean,
): FileDescriptorProto | null => {
  const found = packageName === '' ? root : root.lookup(packageName)
  if (!(found instanceof protobuf.Namespace)) return null
  const nested = found.nestedArray
  return create(FileDescriptorProtoSchema, {
    name,
    package: packageName,
    syntax: isProto2 ? 'proto2' : 'proto3',
    messageType: nested.filter((one) => one instanceof protobuf.Type).map((one) => messageOf(one)),
    enumType: nested.filter((one) => one instanceof protobuf.Enum).map(enumOf),
    service: nested.filter((one) => one instanceof protobuf.Service).map(serviceOf),
  })
}

const messageOf = (type: protobuf.Type): DescriptorProto => {
  const fields = type.fieldsArray.map((field) => field.resolve())
  const maps = fields.filter((field) => field instanceof protobuf.MapField)
  const oneofs = type.oneofsArray
  return create(DescriptorProtoSchema, {
    name: type.name,
    field: fields.map((field) => fieldOf(field, oneofs)),
    oneofDecl: oneofs.map(({ name }) => create(OneofDescriptorProtoSchema, { name })),
    nestedType: [
      ...type.nestedArray.filter((one) => one instanceof protobuf.Type).map((one) => messageOf(one)),
      ...maps.map(entryOf),
    ],
    enumType: type.nestedArray.filter((one) => one instanceof protobuf.Enum).map(enumOf),
  })
}

const entryName = (name: string): string =>
  `${name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}Entry`

const fieldOf = (field: protobuf.Field, oneofs: readonly protobuf.OneOf[]): FieldDescriptorProto => {
  const oneof = field.partOf === null ? -1 : oneofs.findIndex(({ name }) => name === field.partOf?.name)
  const typed =
    field instanceof protobuf.MapField
      ? { type: Type.MESSAGE, typeName: `${field.parent?.fullName}.${entryName(field.name)}` }
      : typeOf(field)
  return create(FieldDescriptorProtoSchema, {
    name: field.name,
    number: field.id,
    label: field.repeated || field.map ? Label.REPEATED : field.required ? Label.REQUIRED : Label.OPTIONAL,
    ...typed,
    ...(oneof < 0 ? {} : { oneofIndex: oneof }),
    ...(field.options?.['proto3_optional'] === true ? { proto3Optional: true } : {}),
    ...(typeof field.options?.['packed'] === 'boolean'
      ? { options: { packed: field.options['packed'] } }
      : {}),
  })
}

const typeOf = ({ type, resolvedType }: Pick<protobuf.Field, 'type' | 'resolvedType'>) => {
  if (resolvedType === null) return { type: scalars[type] ?? Type.BYTES }
  const isEnum = resolvedType instanceof protobuf.Enum
  return { type: isEnum ? Type.ENUM : Type.MESSAGE, typeName: resolvedType.fullName }
}

const entryOf = (field: protobuf.MapField): DescriptorProto =>
  create(DescriptorProtoSchema, {
    name: entryName(field.name),
    options: { mapEntry: true },
    field: [
      create(FieldDescriptorProtoSchema, {
        ...{ name: 'key', number: 1, label: Label.OPTIONAL },
        type: scalars[field.keyType] ?? Type.STRING,
      }),
      create(FieldDescriptorProtoSchema, {
        ...{ name: 'value', number: 2, label: Label.OPTIONAL },
        ...typeOf(field),
      }),
    ],
  })

const enumOf = ({ name, values }: protobuf.Enum): EnumDescriptorProto =>
  create(EnumDescriptorProtoSchema, {
    name,
    value: Object.entries(values).map(([value, number]) =>
      create(EnumValueDescriptorProtoSchema, { name: value, number }),
    ),
  })

const serviceOf = ({ name, methodsArray }: protobuf.Service): ServiceDescriptorProto =>
  create(ServiceDescriptorProtoSchema, {
    name,
    method: methodsArray.map((method) => {
      method.resolve()
      const { resolvedRequestType: input, resolvedResponseType: output } = method
      return create(MethodDescriptorProtoSchema, {
        name: method.name,
        inputType: input?.fullName ?? '',
        outputType: output?.fullName ?? '',
        clientStreaming: method.requestStream === true,
        serverStreaming: method.responseStream === true,
      })
    }),
  })

const scalars: Record<string, Type> = {
  double: Type.DOUBLE,
  float: Type.FLOAT,
  int64: Type.INT64,
  uint64: Type.UINT64,
  int32: Type.INT32,
  fixed64: Type.FIXED64,
  fixed32: Type.FIXED32,
  bool: Type.BOOL,
  string: Type.STRING,
  bytes: Type.BYTES,
  uint32: Type.UINT32,
  sfixed32: Type.SFIXED32,
  sfixed64: Type.SFIXED64,
  sint32: Type.SINT32,
  sint64: Type.SINT64,
}
