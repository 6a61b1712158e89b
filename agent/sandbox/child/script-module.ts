import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'

/** Marks what stands in for a package that may be no ES module. */
const facadeMark = '?imported-by-script'

/**
 * Loads code as the ES module of that address, which is no file's. It may import what the hooks before these allow. Of packages
 * that are no ES modules it gets all names, as compilers of TypeScript give them, and not only those that Node finds by reading.
 */
export const importScript = (code: string, url: string): Promise<Record<string, unknown>> => {
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === url) return { url, format: 'module', shortCircuit: true }
      const found = next(specifier, context)
      const isPackage = found.url.includes('/node_modules/') && found.format !== 'module'
      return isPackage && context.parentURL === url && context.conditions.includes('import')
        ? { url: found.url + facadeMark, format: 'module', shortCircuit: true }
        : found
    },
    load: (address, context, next) => {
      if (address === url) return { format: 'module', source: code, shortCircuit: true }
      if (!address.endsWith(facadeMark)) return next(address, context)
      const source = facadeOf(address.slice(0, -facadeMark.length))
      return { format: 'module', source, shortCircuit: true }
    },
  })
  return import(url)
}

/** A module that exports every property of what another one, of whatever kind, exports. */
const facadeOf = (target: string): string => {
  const from = JSON.stringify(target)
  const exported = requireSync(target)
  if (exported === null || types.isModuleNamespaceObject(exported))
    return `import * as all from ${from}\nexport * from ${from}\nexport default all.default`
  const names = Object.keys(Object(exported)).filter((name) => name !== 'default' && name.isWellFormed())
  return [
    `import all from ${from}`,
    `export default ${isCompiledModule(exported) ? 'all.default' : 'all'}`,
    ...names.map((name, index) => `const v${index} = all[${JSON.stringify(name)}]`),
    `export { ${names.map((name, index) => `v${index} as ${JSON.stringify(name)}`).join(', ')} }`,
  ].join('\n')
}

/** null: an ES module that awaits while it is loaded. */
const requireSync = (target: string): unknown => {
  try {
    return createRequire(target)(fileURLToPath(target))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_REQUIRE_ASYNC_MODULE') return null
    throw error
  }
}

/** CommonJS that a compiler has made of a module says so. */
const isCompiledModule = (exported: unknown): boolean => {
  const { __esModule: mark } = Object(exported) as { __esModule?: unknown }
  return mark === true && 'default' in Object(exported)
}
