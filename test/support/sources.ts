/** The project's own TypeScript files and their import statements, for tests about the shape of the code. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Import = {
  /** A path inside the clone ('agent/net/io.ts') or a package ('node:fs', '@koa/router'). */
  target: string
  isPackage: boolean
  /** `import type`: gone when the program runs. */
  isType: boolean
}

export type Source = { path: string; lineCount: number; code: string; imports: Import[] }

const root = fileURLToPath(new URL('../..', import.meta.url))
const staticImport = /^(?:import|export)\s+(type\s+)?(?:[^'"`;()]*?\sfrom\s+)?'([^']+)'/gm
const dynamicImport = /\bimport\(\s*'([^']+)'/g

function resolveImport(from: string, specifier: string): Omit<Import, 'isType'> {
  const isPackage = !specifier.startsWith('.')
  if (isPackage) {
    const [scope = '', name = ''] = specifier.split('/')
    return { target: specifier.startsWith('@') ? `${scope}/${name}` : scope, isPackage }
  }
  return { target: posix.join(posix.dirname(from), specifier), isPackage }
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}

function readSource(path: string): Source {
  const text = readFileSync(new URL(path, `file://${encodeURI(root)}`), 'utf8')
  const code = withoutComments(text)
  const imports = [
    ...[...code.matchAll(staticImport)].map(([, type, specifier = '']) => ({
      ...resolveImport(path, specifier),
      isType: type !== undefined,
    })),
    ...[...code.matchAll(dynamicImport)].map(([, specifier = '']) => ({
      ...resolveImport(path, specifier),
      isType: false,
    })),
  ]
  return { path, lineCount: text.split('\n').length - 1, code, imports }
}

/** Every .ts file of the clone, installed packages left out. */
export function readSources(): Source[] {
  const folders = '{agent,command,control-plane,docs,protocol,start,test,bench,helm,images,release}/**/*.ts'
  const paths = globSync(['*.ts', folders], { cwd: root, exclude: ['**/node_modules/**'] })
  return paths.sort().map(readSource)
}
