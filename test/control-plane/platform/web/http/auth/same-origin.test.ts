import t from 'tap'
import { requireSameOrigin } from '../../../../../../control-plane/platform/web/http/auth/same-origin.ts'
import { ApiError } from '../../../../../../control-plane/platform/words/errors.ts'

const host = 'watchpost.example'

t.test('our own pages, and what is no browser', async (t) => {
  for (const headers of [
    { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' },
    { host, origin: `https://${host}` },
    { host: 'localhost:8080', origin: 'http://localhost:8080' },
    { host },
  ])
    t.doesNotThrow(() => requireSameOrigin(headers), JSON.stringify(headers))
})

t.test('pages of others', async (t) => {
  for (const headers of [
    { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { host, origin: 'https://evil.example' },
    { host, origin: 'null' },
    { host, origin: `https://${host}.evil.example` },
    { host, origin: `https://${host}:8443` },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, 'sec-fetch-site': 'same-site' },
    { host, origin: 'https://sub.watchpost.example', 'sec-fetch-site': 'same-site' },
  ])
    t.throws(
      () => requireSameOrigin(headers),
      new ApiError(403, 'The form was sent from another site'),
      JSON.stringify(headers),
    )
})
