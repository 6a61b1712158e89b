import t from 'tap'
import { isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { apiPage } from '../../docs/api-page.ts'
import '../support/patience.ts'

t.test('every operation is on the page once, with who may call it', async (t) => {
  const rows = apiPage(routes)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  for (const { method, path, access } of routes) {
    const operation = `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``
    const own = rows.filter((row) => row.startsWith(`| ${operation} |`))
    t.equal(own.length, 1, operation)
    const who = access === 'PUBLIC' ? '*anybody*' : isForPrograms(access) ? '*agent*' : access
    t.ok(own[0]?.includes(`| ${who} |`), `${operation}: ${who}`)
  }
})
