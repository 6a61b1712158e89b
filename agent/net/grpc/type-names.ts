/**
 * Descriptors as servers give them: some libraries leave names of types as they are written in the file, and files that are needed
 * unnamed. Here each name becomes whole, and that of JSON is there, as compilers would make it, and whatever a file needs comes before it. Pure.
 */
import type { DescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt'

/** Of each type that there is, by its whole name: the file that has it. */
type Owners = ReadonlyMap<string, FileDescriptorProto>

export const withWholeNames = (files: readonly FileDescriptorProto[]): FileDescriptorProto[] => {
  const owners = ownersIn(files)
  const needs = new Map(files.map((file) => [file, neededBy(file, owners)]))
  const ordered = new Set<FileDescriptorProto>()
  const open = new Set<FileDescriptorProto>()
  const add = (file: FileDescriptorProto): void => {
    // Of files that need each other nobody can say which is first.
    if (open.has(file)) return
    open.add(file)
    for (const needed of needs.get(file) ?? []) add(needed)
    ordered.add(file)
  }
  for (const file of files) add(file)
  return [...ordered]
}

const ownersIn = (files: readonly FileDescriptorProto[]): Owners => {
  const owners = new Map<string, FileDescriptorProto>()
  for (const file of files) {
    const add = (scope: string, { name, nestedType, enumType }: DescriptorProto): void => {
      const whole = `${scope}.${name}`
      owners.set(whole, file)
      for (const each of enumType) owners.set(`${whole}.${each.name}`, file)
      for (const each of nestedType) add(whole, each)
    }
    const scope = scopeOf(file)
    for (const each of file.enumType) owners.set(`${scope}.${each.name}`, file)
    for (const each of file.messageType) add(scope, each)
  }
  return owners
}

const scopeOf = ({ package: name }: FileDescriptorProto): string => (name === '' ? '' : `.${name}`)

/** Writes the whole names into the file. */
const neededBy = (file: FileDescriptorProto, owners: Owners): Set<FileDescriptorProto> => {
  const needed = new Set<FileDescriptorProto>()
  const whole = (name: string, scope: string): string => {
    const found = name.startsWith('.') ? name : wholeName(name, scope, owners)
    const owner = owners.get(found)
    if (owner !== undefined && owner !== file) needed.add(owner)
    return found
  }
  const visit = (message: DescriptorProto, scope: string): void => {
    const own = `${scope}.${message.name}`
    for (const field of message.field) {
      field.jsonName ||= jsonNameOf(field.name)
      if (field.typeName !== '') field.typeName = whole(field.typeName, own)
    }
    for (const nested of message.nestedType) visit(nested, own)
  }
  const scope = scopeOf(file)
  for (const message of file.messageType) visit(message, scope)
  for (const { method } of file.service)
    for (const each of method) {
      each.inputType = whole(each.inputType, scope)
      each.outputType = whole(each.outputType, scope)
    }
  return needed
}

const jsonNameOf = (name: string): string =>
  name.replace(/_+([^_])/g, (_, letter: string) => letter.toUpperCase())

/** From the innermost scope outwards, as in a `.proto` file. */
const wholeName = (name: string, scope: string, owners: Owners): string => {
  for (let at = scope; ; at = at.slice(0, at.lastIndexOf('.'))) {
    if (owners.has(`${at}.${name}`)) return `${at}.${name}`
    if (at === '') return `.${name}`
  }
}
